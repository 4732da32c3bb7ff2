import { expect, test } from '@jest/globals'
import { StreamNames } from '../../../../src/adapters/sqlite/file/stream-names.js'

const event = (externalId: string) =>
  JSON.stringify({ entityExternalId: externalId, name: 'login' })

test('The name of a known stream is found from the data of its facts.', () => {
  const names = new StreamNames()
  names.add(7, 'entity-ada')
  expect(names.nameOf(7, event('ada'))).toBe('entity-ada')
  expect(names.nameOf(7, '{"externalId":"ada","set":{}}')).toBe('entity-ada')
})

test('The name of an unknown stream, or of a fact that names another entity or none, must be looked up.', () => {
  const names = new StreamNames()
  names.add(7, 'entity-ada')
  names.add(8, 'members-vip')
  names.add(9, 'entity-"quoted"')
  expect(names.nameOf(6, event('ada'))).toBeUndefined()
  expect(names.nameOf(7, event('bob'))).toBeUndefined()
  expect(names.nameOf(7, '{"now":"2026-11-20T09:30:00.000Z"}')).toBeUndefined()
  expect(names.nameOf(8, event('vip'))).toBeUndefined()
  expect(names.nameOf(9, event('"quoted"'))).toBeUndefined()
})

test('Many streams are distinguished, and streams beyond the limit must be looked up.', () => {
  const names = new StreamNames(1_024, 4)
  const ids = Array.from({ length: 2_000 }, (_, n) => 1 + n * 65_536)
  for (const id of ids) names.add(id, `entity-${String(id)}`)
  expect(ids.filter((id) => names.nameOf(id, event('other')) !== undefined)).toEqual([])
  const found = ids.filter((id) => names.nameOf(id, event(String(id))) === `entity-${String(id)}`)
  expect(found).toEqual(ids.slice(0, 768))
})

test('Positions beyond 32 bits are distinguished.', () => {
  const names = new StreamNames()
  const far = 2 ** 40
  names.add(far + 3, 'entity-ada')
  expect(names.nameOf(far + 3, event('ada'))).toBe('entity-ada')
  expect(names.nameOf(3, event('ada'))).toBeUndefined()
})
