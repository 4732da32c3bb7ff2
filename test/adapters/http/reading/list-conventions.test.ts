import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sendDocumented } from '../../../support/documented-reply.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { withQuery, type Item, type QueryValues } from '../../../support/get.js'
import { httpService } from '../../../support/http-service.js'
import { allScopes } from '../../../support/operations/all-scopes.js'
import { describedOperations } from '../../../support/operations/described-operations.js'
import { patch, post } from '../../../support/post.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

/** The rules of every list with a cursor. A new list fails until it has a line in `lists`. */

const service = httpService({ keyRing: { holderOf: () => allScopes } })
const count = 3
/** The distance of the characters of a cursor that are changed. */
const everyPlace = quickOrThorough({ quick: 7, thorough: 1 })
const at = '2026-11-20T09:30:00.000Z'

/** Lists that grow at the end. Their cursors are places in the feed, and have tests of their own. */
const feeds = ['/facts', '/refusals']

/** By path of the document: a list of three items, and requests that mean other lists. */
const lists: Readonly<Record<string, { url: string; others: readonly string[] }>> = {
  '/entities': {
    url: '/entities?starts_with=a',
    others: ['/entities', '/entities?starts_with=ad', '/entities?property=/email&is=x'],
  },
  '/erasures': { url: '/erasures', others: ['/erasures?external_id=gone-0'] },
  '/entities/{external_id}/events': {
    url: '/entities/ada/events?by=recorded&order=asc&name=in&since=2026-01-01T00:00:00Z',
    others: [
      '/entities/amy/events?by=recorded&order=asc&name=in&since=2026-01-01T00:00:00Z',
      '/entities/ada/events?by=occurred&order=asc&name=in&since=2026-01-01T00:00:00Z',
      '/entities/ada/events?by=recorded&order=desc&name=in&since=2026-01-01T00:00:00Z',
      '/entities/ada/events?by=recorded&order=asc&name=out&since=2026-01-01T00:00:00Z',
      '/entities/ada/events?by=recorded&order=asc&name=in&since=2026-01-02T00:00:00Z',
      '/entities/ada/events?by=recorded&order=asc&name=in',
      '/entities/ada/events',
    ],
  },
  '/entities/{external_id}/history': {
    url: '/entities/ada/history',
    others: ['/entities/amy/history'],
  },
  '/segments': { url: '/segments', others: [] },
  '/segments/{key}/versions': {
    url: '/segments/vip/versions',
    others: ['/segments/all/versions'],
  },
  '/segments/{key}/members': {
    url: '/segments/vip/members?properties=/email',
    others: [
      '/segments/vip/members',
      '/segments/vip/members?properties=/email,/name',
      '/segments/all/members?properties=/email',
    ],
  },
  '/segments/{key}/changes': {
    url: '/segments/vip/changes',
    others: ['/segments/all/changes', `/segments/vip/changes?since=${at}`],
  },
}

/** Requests a list with more parameters. */
function get(url: string, more: QueryValues = {}) {
  const [path = '', query = ''] = url.split('?')
  const parameters = { ...Object.fromEntries(new URLSearchParams(query)), ...more }
  return sendDocumented(service.server, {
    method: 'GET',
    url: withQuery(path, parameters),
    headers: { authorization: 'Bearer k' },
  })
}

async function page(url: string, query: QueryValues = {}) {
  const reply = await get(url, query)
  expect(reply.statusCode).toBe(200)
  return reply.json<{ data: { items: Item[]; next_cursor: string | null } }>().data
}

async function cursorOf(url: string): Promise<string> {
  const { next_cursor } = await page(url, { limit: 1 })
  if (next_cursor === null) throw new Error(`one page holds all of ${url}`)
  return next_cursor
}

beforeAll(async () => {
  const { server, readModel } = service
  for (const id of ['ada', 'amy', 'ann']) {
    await post(server, '/entities', { external_id: id, properties: { email: 'x' } })
  }
  for (const id of ['ada', 'amy']) {
    for (let n = 0; n < count; n += 1) {
      await post(server, '/events', { entity_external_id: id, name: 'in' })
      if (n > 0) await patch(server, id, { set: { n } })
    }
  }
  for (let n = 0; n < count; n += 1) {
    await post(server, '/entities', { external_id: `gone-${String(n)}` })
    const erased = await post(server, '/erasures', { external_id: `gone-${String(n)}` })
    expect(erased.statusCode).toBe(202)
  }
  const numbers = (after: number, limit: number) =>
    Array.from({ length: count }, (_, n) => n + 1).slice(after, after + limit)
  const definition = {
    version: 1,
    title: 'x',
    kind: 'hand',
    rule: undefined,
    definedAt: at,
  } as const
  readModel.planned.segmentList = ({ after = '0', limit }) => ({
    items: numbers(Number(after), limit).map((n) => ({
      ...definition,
      key: String(n),
      status: 'building',
      servingVersion: undefined,
      progress: 0,
      members: undefined,
      digest: undefined,
    })),
    next: Number(after) + limit < count ? String(Number(after) + limit) : undefined,
  })
  readModel.planned.segmentVersions = ({ key, after = 0, limit }) => ({
    items: numbers(after, limit).map((n) => ({
      ...definition,
      key,
      version: n,
      retiredAt: undefined,
    })),
    next: after + limit < count ? after + limit : undefined,
  })
  readModel.planned.segmentMembers = ({ after = 0, limit }) => ({
    version: 1,
    members: count,
    digest: '0123456789abcdef',
    items: numbers(after, limit).map((n) => ({
      externalId: `e${String(n)}`,
      entityId: 'id',
      since: at,
    })),
    next: after + limit < count ? after + limit : undefined,
  })
  readModel.planned.segmentChanges = ({ after = { at: 0, position: 0 }, limit }) => ({
    items: numbers(after.position, limit).map((n) => ({
      externalId: `e${String(n)}`,
      at,
      enters: true,
      cause: { kind: 'time' },
    })),
    next: after.position + limit < count ? { at: 5, position: after.position + limit } : undefined,
  })
})
afterAll(() => service.server.close())

test('each list of the document has a line here', () => {
  const listed = describedOperations.filter(
    ({ path, parameters }) =>
      !feeds.includes(path) && parameters.some(({ name }) => name === 'cursor'),
  )
  expect(listed.map(({ path }) => path).sort()).toEqual(Object.keys(lists).sort())
})

describe.each(Object.entries(lists))('%s', (path, { url, others }) => {
  test.each([1, 2, count])('pages of at most %d items have all items in order', async (limit) => {
    const whole = await page(url)
    expect([whole.items.length, whole.next_cursor]).toEqual([count, null])
    const items: Item[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const next = await page(url, { limit, ...(cursor !== undefined && { cursor }) })
      expect(next.items.length).toBe(Math.min(limit, count - items.length))
      items.push(...next.items)
      cursor = next.next_cursor
    }
    expect(items).toEqual(whole.items)
  })

  test('a cursor is accepted with another limit, and refused by every other list', async () => {
    const cursor = await cursorOf(url)
    expect((await page(url, { cursor, limit: 1_000 })).items).toHaveLength(count - 1)
    const elsewhere = Object.entries(lists).filter(([other]) => other !== path)
    for (const other of [...others, ...elsewhere.map(([, list]) => list.url)]) {
      const { message } = expectFault(await get(other, { cursor }), 400, 'malformed_request')
      expect(message).toContain('"cursor"')
    }
  })

  test('a cursor that was changed is refused', async () => {
    const cursor = await cursorOf(url)
    const places = Array.from(cursor, (_, place) => place).filter(
      (place) => place % everyPlace === 0,
    )
    const changed = places.map((place) =>
      [cursor.slice(0, place), cursor[place] === 'A' ? 'B' : 'A', cursor.slice(place + 1)].join(''),
    )
    const others = ['', 'x', `${cursor}=`, `${cursor}A`, ` ${cursor}`, cursor.slice(1), '0', '🦊']
    for (const text of [...changed, ...others]) {
      expectFault(await get(url, { cursor: text }), 400, 'malformed_request')
    }
  })
})

test('the list of erasures has only the receipt of an external_id when one is asked for', async () => {
  const all = await page('/erasures')
  const { items } = await page('/erasures', { external_id: 'gone-1' })
  expect(items).toEqual([all.items[1]])
  expect(await page('/erasures', { external_id: 'ada' })).toEqual({ items: [], next_cursor: null })
})
