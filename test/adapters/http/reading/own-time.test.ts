import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { get, withQuery } from '../../../support/get.js'
import { StoppedClock } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })

const day = (n: number) => `2026-03-0${String(n)}T00:00:00.000Z`
const imported = '2026-11-20T09:30:00.000Z'

/** Imports the history of ada out of order: a creation, a change before another change, and an early event. */
beforeEach(async () => {
  clock.time = imported
  const ada = { external_id: 'ada', properties: { plan: 'free', city: 'Rome' } }
  await post(service.server, '/entities', { ...ada, occurred_at: '2026-03-04' })
  await patch(service.server, 'ada', { set: { plan: 'paid' }, occurred_at: '2026-03-08' })
  const late = { set: { plan: 'trial', city: 'Oslo' }, unset: ['age'], occurred_at: '2026-03-06' }
  await patch(service.server, 'ada', late)
  const event = { entity_external_id: 'ada', name: 'visit', occurred_at: '2026-03-02' }
  await post(service.server, '/events', event)
})

type Query = Readonly<Record<string, string>>

async function read(path: string, query: Query = {}) {
  const reply = await get(service.server, withQuery(`/entities/ada${path}`, query))
  expect(reply.statusCode).toBe(200)
  return reply.json<{ data: Record<string, unknown> }>().data
}

async function items(path: string, query: Query) {
  const { items: found } = await read(path, query)
  return found as readonly Record<string, unknown>[]
}

test('of each property, the change with the latest own time wins', async () => {
  expect(await read('')).toMatchObject({
    properties: { plan: 'paid', city: 'Oslo' },
    created_at: day(4),
    recorded_at: imported,
    updated_at: day(8),
  })
})

test('a set that is older than an unset loses, also after the property was absent for long', async () => {
  await patch(service.server, 'ada', { set: { age: 40 }, occurred_at: '2026-03-05' })
  expect((await read(''))['properties']).not.toHaveProperty('age')
  await patch(service.server, 'ada', { set: { age: 41 }, occurred_at: '2026-03-06' })
  expect((await read(''))['properties']).toHaveProperty('age', 41)
})

test('a change without a time wins against every earlier change, even if a clock went back', async () => {
  clock.time = '2026-11-20T09:29:50.000Z'
  const ahead = { set: { plan: 'ahead' }, occurred_at: '2026-11-20T09:30:40.000Z' }
  await patch(service.server, 'ada', ahead)
  await patch(service.server, 'ada', { set: { plan: 'last' } })
  const { properties, updated_at } = await read('')
  expect({ properties, updated_at }).toMatchObject({
    properties: { plan: 'last' },
    updated_at: clock.time,
  })
})

describe('the past by own time', () => {
  test.each([
    [day(2), {}, 1],
    [day(4), { plan: 'free', city: 'Rome' }, 1],
    [day(6), { plan: 'trial', city: 'Oslo' }, 1],
    [day(8), { plan: 'paid', city: 'Oslo' }, 1],
  ])('is shown at %s', async (as_of, properties, count) => {
    const shown = { properties, event_count: count, created_at: day(4) }
    expect(await read('', { as_of })).toMatchObject(shown)
  })

  test('begins with the earliest fact', async () => {
    const as_of = '2026-03-01T23:59:59.999Z'
    for (const path of ['', '/events', '/history']) {
      const reply = await get(service.server, withQuery(`/entities/ada${path}`, { as_of }))
      expectFault(reply, 404, 'entity_not_found')
    }
  })

  test('is empty at a time when nothing was known', async () => {
    const known_at = day(9)
    for (const path of ['', '/events', '/history']) {
      const reply = await get(service.server, withQuery(`/entities/ada${path}`, { known_at }))
      expectFault(reply, 404, 'entity_not_found')
    }
  })

  test('bounds the events and the history', async () => {
    expect(await items('/events', { as_of: day(3) })).toMatchObject([{ name: 'visit' }])
    const history = await items('/history', { as_of: day(6) })
    expect(history.map((one) => one['occurred_at'])).toEqual([day(6), day(4)])
  })

  test('of events and of the history is never in the future', async () => {
    for (const path of ['/events', '/history']) {
      const query = { as_of: '2026-11-20T09:30:00.001Z' }
      const reply = await get(service.server, withQuery(`/entities/ada${path}`, query))
      expectFault(reply, 422, 'validation_failed')
    }
  })
})

describe('the history', () => {
  test('by own time shows late changes at their place', async () => {
    const times = (await items('/history', { by: 'occurred', order: 'asc' })).map((one) => [
      one['occurred_at'],
      one['changed_at'],
    ])
    expect(times).toEqual([day(4), day(6), day(8)].map((at) => [at, imported]))
  })

  test('is by recording and newest first by default', async () => {
    const times = (await items('/history', {})).map((one) => one['occurred_at'])
    expect(times).toEqual([day(6), day(8), day(4)])
  })

  test.each(['occurred', 'recorded'])('by=%s comes in pages', async (by) => {
    const whole = await items('/history', { by })
    let cursor: string | undefined
    const found: unknown[] = []
    do {
      const query: Query = {
        by,
        limit: '1',
        ...(cursor === undefined ? {} : { cursor }),
      }
      const page = await read('/history', query)
      found.push(...(page['items'] as readonly unknown[]))
      const next = page['next_cursor']
      cursor = typeof next === 'string' ? next : undefined
    } while (cursor !== undefined)
    expect(found).toEqual(whole)
  })

  test('has since and until, which refer to the time that by names', async () => {
    const bounds = { since: day(5), until: day(8) }
    expect(await items('/history', { by: 'occurred', ...bounds })).toHaveLength(1)
    expect(await items('/history', { by: 'recorded', ...bounds })).toHaveLength(0)
    expect(await items('/history', { since: imported })).toHaveLength(3)
  })
})
