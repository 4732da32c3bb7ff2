import { describe, expect, test } from '@jest/globals'
import {
  createEntity,
  entityStream,
  isSameCreation,
  type EntityCreated,
} from '../../src/domain/entity.js'
import { deciding } from '../support/decision-sentence.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const created: EntityCreated = {
  id: 'fact-1',
  type: 'EntityCreated',
  data: { externalId: 'ada', properties: { plan: 'free' }, createdAt: '2026-11-20T09:30:00.007Z' },
}

describe('creating an entity', () => {
  const when = deciding(createEntity)
  const command = { factId: 'fact-1', externalId: 'ada', properties: { plan: 'free' }, now }

  test('expects a new stream and says that the entity was created', () => {
    when(command).then('new', [created])
  })

  test('writes to the stream of its external_id', () => {
    expect(createEntity(command).stream).toBe('entity-ada')
  })
})

test('a stream is named after the external_id as it is', () => {
  expect(entityStream('a/b %20 Ω-entity-')).toBe('entity-a/b %20 Ω-entity-')
})

describe('two creations', () => {
  const { data } = created
  test('are the same whatever their ids and times', () => {
    const later = { ...data, createdAt: '2026-11-21T00:00:00.000Z' }
    expect(isSameCreation(created, { ...created, id: 'other', data: later })).toBe(true)
  })

  test.each([
    ['external_id', { ...data, externalId: 'Ada' }],
    ['properties', { ...data, properties: { plan: 'paid' } }],
  ])('differ by %s', (_what, other) => {
    expect(isSameCreation(created, { ...created, data: other })).toBe(false)
  })
})
