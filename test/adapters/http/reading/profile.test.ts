import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { addSegment } from '../../../support/feed-facts.js'
import { get, withQuery } from '../../../support/get.js'
import { StoppedClock } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(() => {
  clock.time = '2026-11-20T09:30:00.000Z'
})

const created = '2026-11-20T09:30:00.000Z'
const recorded = '2026-11-20T10:00:00.000Z'
const changed = '2026-11-20T11:00:00.000Z'
const later = '2026-11-20T12:00:00.000Z'
const occurred = '2026-11-19T18:05:00.000Z'

/** Created, then an event of an earlier own time, then a change. */
async function writeAda(): Promise<void> {
  await post(service.server, '/entities', {
    external_id: 'ada',
    properties: { plan: 'free', trial: true },
  })
  clock.time = recorded
  const event = { entity_external_id: 'ada', name: 'login', occurred_at: occurred }
  await post(service.server, '/events', event)
  clock.time = changed
  await patch(service.server, 'ada', { set: { plan: 'paid' }, unset: ['trial'] })
  clock.time = later
}

async function profile(query: Readonly<Record<string, string>> = {}) {
  const reply = await get(service.server, withQuery('/entities/ada', query))
  return reply.json<{ data: Record<string, unknown> }>().data
}

test('a profile is what was created, changed and recorded', async () => {
  await writeAda()
  const reply = await get(service.server, '/entities/ada')
  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toEqual({
    status: 'success',
    data: {
      external_id: 'ada',
      entity_id: service.store.read('entity-ada')[0]?.id,
      properties: { plan: 'paid' },
      created_at: created,
      updated_at: changed,
      event_count: 1,
      last_event_at: occurred,
      segments: [],
    },
  })
  expect(reply.headers).toMatchObject({
    position: '3',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'request-id': expect.any(String),
  })
})

test.each([{}, { as_of: created }])(
  'a profile names the segments that are being built beside those that it is in, asked with %j',
  async (query) => {
    await writeAda()
    for (const key of ['all', 'buyers']) addSegment(service.logged, key)
    const reply = await get(service.server, withQuery('/entities/ada', query))
    const data = { segments: [], segments_building: ['all', 'buyers'] }
    expect(reply.json()).toMatchObject({ status: 'success', data })
  },
)

test('an entity without events has none, and null for the last', async () => {
  await post(service.server, '/entities', { external_id: 'ada' })
  expect(await profile()).toMatchObject({ event_count: 0, last_event_at: null, properties: {} })
})

test.each([
  'ada',
  'Ада Лавлейс',
  '艾达',
  'آدا',
  '🦊'.repeat(255),
  'a/b?c#d&e=f%',
  'a+b c',
  "'*!(~)'",
  '__proto__',
  'e\u0301',
  '..a',
])('an external id of any script is asked for percent-encoded: %s', async (externalId) => {
  await post(service.server, '/entities', { external_id: externalId })
  for (const path of ['', '/events', '/history']) {
    const url = `/entities/${encodeURIComponent(externalId)}${path}`
    expect([path, (await get(service.server, url)).statusCode]).toEqual([path, 200])
  }
  const reply = await get(service.server, `/entities/${encodeURIComponent(externalId)}`)
  expect(reply.json()).toMatchObject({ data: { external_id: externalId } })
})

test('an external id is compared exactly', async () => {
  await post(service.server, '/entities', { external_id: 'e\u0301' })
  const reply = await get(service.server, `/entities/${encodeURIComponent('\u00e9')}`)
  expectFault(reply, 404, 'entity_not_found')
})

describe.each(['', '/events', '/history'])('of an entity, /entities/{external_id}%s', (path) => {
  test('that does not exist, says so, and what is known', async () => {
    await post(service.server, '/entities', { external_id: 'eve' })
    const reply = await get(service.server, `/entities/ada${path}`)
    expectFault(reply, 404, 'entity_not_found')
    expect(reply.headers).toMatchObject({ position: '1', 'cache-control': 'no-store' })
    expect(service.log.lines).toEqual([])
  })

  test.each([
    ['%20a', 'bad_characters'],
    ['a%00', 'bad_characters'],
    ['x'.repeat(256), 'too_long'],
  ])('that none can be called: %s', async (id, code) => {
    const reply = await get(service.server, `/entities/${id}${path}`)
    expect(expectInvalid(reply, `/external_id ${code}`).message).not.toContain('stored')
  })
})

describe('as of a time', () => {
  beforeEach(writeAda)

  test.each([
    ['before the change', '2026-11-20T10:59:59.999Z', { plan: 'free', trial: true }],
    ['at the change', changed, { plan: 'paid' }],
    ['now', later, { plan: 'paid' }],
  ])('%s', async (_what, as_of, properties) => {
    const data = await profile({ as_of })
    expect(data).toMatchObject({ properties, event_count: 1, as_of, known_at: null })
  })

  test.each(['as_of', 'known_at'])(
    'an entity that had not been created by %s was not there by that time',
    async (name) => {
      const url = withQuery('/entities/ada', { [name]: '2026-11-20T09:29:59.999Z' })
      const reply = await get(service.server, url)
      const { message } = expectFault(reply, 404, 'entity_not_found')
      expect(message).toContain('not there by that time')
      expect(message).not.toContain('Create it')
      expect(reply.headers['position']).toBe('3')
    },
  )

  test('an entity that does not exist at all is to be created first, without a time', async () => {
    const url = withQuery('/entities/eve', { as_of: later })
    const past = expectFault(await get(service.server, url), 404, 'entity_not_found')
    expect(past.message).toContain('with neither')
    const now = expectFault(await get(service.server, '/entities/eve'), 404, 'entity_not_found')
    expect(now.message).toContain('Create it with POST /entities')
  })

  test('events count by their own time', async () => {
    const event = { entity_external_id: 'ada', name: 'login', occurred_at: recorded }
    await post(service.server, '/events', event)
    expect(await profile({ as_of: '2026-11-20T09:59:59.999Z' })).toMatchObject({
      event_count: 1,
      last_event_at: occurred,
    })
    expect(await profile({ as_of: recorded })).toMatchObject({
      event_count: 2,
      last_event_at: recorded,
    })
  })
})

describe('as known at a time', () => {
  beforeEach(writeAda)

  test.each([
    ['when only the creation was', created, { plan: 'free', trial: true }, 0],
    ['when the event was, too', recorded, { plan: 'free', trial: true }, 1],
    ['when all was', later, { plan: 'paid' }, 1],
  ])('%s', async (_what, known_at, properties, event_count) => {
    const data = await profile({ known_at })
    expect(data).toMatchObject({ properties, event_count, known_at, as_of: null })
  })

  test('and as of another', async () => {
    const query = { as_of: recorded, known_at: changed }
    expect(await profile(query)).toMatchObject({
      ...query,
      properties: { plan: 'free', trial: true },
      event_count: 1,
    })
  })

  test('what another replica recorded by a clock behind ours is known when the log came to it', async () => {
    clock.time = '2026-11-20T10:30:00.000Z'
    await post(service.server, '/events', { entity_external_id: 'ada', name: 'logout' })
    clock.time = later
    expect(await profile({ known_at: '2026-11-20T10:45:00.000Z' })).toMatchObject({
      event_count: 1,
    })
    expect(await profile({ known_at: changed })).toMatchObject({ event_count: 2 })
  })

  test('a time is echoed in UTC with milliseconds, however it was written', async () => {
    expect(await profile({ known_at: '2026-11-20t11:30:00.9999+00:30' })).toMatchObject({
      known_at: '2026-11-20T11:00:00.999Z',
    })
  })
})

describe('a time that is refused', () => {
  beforeEach(writeAda)

  test('is later than now', async () => {
    const url = withQuery('/entities/ada', {
      as_of: '2026-11-20T12:00:00.001Z',
      known_at: '2030-01-01T00:00:00Z',
    })
    const reply = await get(service.server, url)
    expectInvalid(reply, '/as_of in_future', '/known_at in_future')
    expect(reply.headers['position']).toBe('3')
  })

  test.each(['yesterday', '', '2026-11-20', '2026-11-20T09:30:00', '2026-02-31T09:30:00Z'])(
    'is none: %j',
    async (time) => {
      for (const name of ['as_of', 'known_at']) {
        const reply = await get(service.server, withQuery('/entities/ada', { [name]: time }))
        expect(expectFault(reply, 400, 'malformed_request').message).toContain(`"${name}"`)
      }
    },
  )

  test('has a + that a URL reads as a space', async () => {
    const reply = await get(service.server, '/entities/ada?as_of=2026-11-20T09:30:00+01:00')
    expect(expectFault(reply, 400, 'malformed_request').message).toContain('%2B')
  })
})
