import { expect, it } from '@jest/globals'
import { replyOf } from '../../src/client/dossier.js'
import { fault, ScriptedService, success } from './scripted-service.js'

const page = (ids: readonly string[], next: string | null) =>
  success(
    { items: ids.map((external_id) => ({ external_id })), next_cursor: next },
    { position: '4' },
  )

it('a list is fetched page by page while its items are taken', async () => {
  const service = await ScriptedService.start(
    page(['a', 'b'], 'c1'),
    page(['c'], 'c2'),
    page([], null),
  )
  const list = service.client().entities.list({ limit: 2 })
  const ids: string[] = []
  for await (const { external_id } of list) {
    ids.push(external_id)
    if (ids.length === 1) expect(service.received).toHaveLength(1)
  }
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(service.received.map(({ query }) => query)).toEqual([
    { limit: '2' },
    { limit: '2', cursor: 'c1' },
    { limit: '2', cursor: 'c2' },
  ])
})

it('a list begins at the given cursor, and stops when the loop is left', async () => {
  const service = await ScriptedService.start(page(['c'], 'c2'))
  for await (const { external_id } of service.client().entities.list({ cursor: 'c1' })) {
    expect(external_id).toBe('c')
    break
  }
  expect(service.received.map(({ query }) => query)).toEqual([{ cursor: 'c1' }])
})

it('a single page has its cursor and its reply', async () => {
  const service = await ScriptedService.start(page(['a'], 'c1'))
  const list = service.client().segments.members('s')
  const first = await list.page()
  expect(first).toMatchObject({ items: [{ external_id: 'a' }], next_cursor: 'c1' })
  expect(replyOf(first)).toMatchObject({ status: 200, position: '4' })
  await list.page('c1')
  expect(service.received[1]?.query).toEqual({ cursor: 'c1' })
  expect(() => replyOf({})).toThrow(TypeError)
})

it('a list ends with the fault of a page', async () => {
  const service = await ScriptedService.start(page(['a'], 'c1'), fault(403, 'forbidden'))
  const ids: string[] = []
  const loop = async () => {
    for await (const { external_id } of service.client().entities.list()) ids.push(external_id)
  }
  await expect(loop()).rejects.toMatchObject({ code: 'forbidden', stored: 'no' })
  expect(ids).toEqual(['a'])
})
