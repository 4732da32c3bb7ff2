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

/** Creates ada, records an event with an earlier time, and changes a property. */
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

test('a profile has the properties and the events of the entity', async () => {
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
      recorded_at: created,
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
  'a profile lists segments that are being built besides the memberships, for %j',
  async (query) => {
    await writeAda()
    for (const key of ['all', 'buyers']) addSegment(service.logged, key)
    const reply = await get(service.server, withQuery('/entities/ada', query))
    const data = { segments: [], segments_building: ['all', 'buyers'] }
    expect(reply.json()).toMatchObject({ status: 'success', data })
  },
)

test('a profile without events has null as its last event', async () => {
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
])('an external id in any script works percent-encoded: %s', async (externalId) => {
  await post(service.server, '/entities', { external_id: externalId })
  for (const path of ['', '/events', '/history']) {
    const url = `/entities/${encodeURIComponent(externalId)}${path}`
    expect([path, (await get(service.server, url)).statusCode]).toEqual([path, 200])
  }
  const reply = await get(service.server, `/entities/${encodeURIComponent(externalId)}`)
  expect(reply.json()).toMatchObject({ data: { external_id: externalId } })
})

test('external ids are compared exactly', async () => {
  await post(service.server, '/entities', { external_id: 'e\u0301' })
  const reply = await get(service.server, `/entities/${encodeURIComponent('\u00e9')}`)
  expectFault(reply, 404, 'entity_not_found')
})

describe.each(['', '/events', '/history'])('/entities/{external_id}%s', (path) => {
  test('returns 404 and the applied position for a missing entity', async () => {
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
  ])('returns 404 for an id that no entity can have: %s', async (id, code) => {
    const reply = await get(service.server, `/entities/${id}${path}`)
    expect(expectInvalid(reply, `/external_id ${code}`).message).not.toContain('stored')
  })
})

describe('a profile as of a time', () => {
  beforeEach(writeAda)

  test.each([
    ['before the change', '2026-11-20T10:59:59.999Z', { plan: 'free', trial: true }],
    ['at the change', changed, { plan: 'paid' }],
    ['now', later, { plan: 'paid' }],
  ])('%s', async (_what, as_of, properties) => {
    const data = await profile({ as_of })
    expect(data).toMatchObject({ properties, event_count: 1, as_of, known_at: null })
  })

  test.each([
    ['as_of', '2026-11-19T18:04:59.999Z'],
    ['known_at', '2026-11-20T09:29:59.999Z'],
  ])('returns 404 for an entity that at %s=%s does not exist yet', async (name, at) => {
    const url = withQuery('/entities/ada', { [name]: at })
    const reply = await get(service.server, url)
    const { message } = expectFault(reply, 404, 'entity_not_found')
    expect(message).toContain('No entity had this external_id at that time')
    expect(message).not.toContain('Create it')
    expect(reply.headers['position']).toBe('3')
  })

  test('returns 404 with advice to create the entity if it does not exist at all', async () => {
    const url = withQuery('/entities/eve', { as_of: later })
    const past = expectFault(await get(service.server, url), 404, 'entity_not_found')
    expect(past.message).toContain('without them')
    const now = expectFault(await get(service.server, '/entities/eve'), 404, 'entity_not_found')
    expect(now.message).toContain('Create it with POST /entities')
  })

  test('counts events by their own time', async () => {
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

describe('a profile as known at a time', () => {
  beforeEach(writeAda)

  test.each([
    ['when only the creation was known', created, { plan: 'free', trial: true }, 0],
    ['when the event was known, too', recorded, { plan: 'free', trial: true }, 1],
    ['when everything was known', later, { plan: 'paid' }, 1],
  ])('%s', async (_what, known_at, properties, event_count) => {
    const data = await profile({ known_at })
    expect(data).toMatchObject({ properties, event_count, known_at, as_of: null })
  })

  test('can be combined with another as_of', async () => {
    const query = { as_of: recorded, known_at: changed }
    expect(await profile(query)).toMatchObject({
      ...query,
      properties: { plan: 'free', trial: true },
      event_count: 1,
    })
  })

  test('includes facts of a replica with a slow clock from their place in the log on', async () => {
    clock.time = '2026-11-20T10:30:00.000Z'
    await post(service.server, '/events', { entity_external_id: 'ada', name: 'logout' })
    clock.time = later
    expect(await profile({ known_at: '2026-11-20T10:45:00.000Z' })).toMatchObject({
      event_count: 1,
    })
    expect(await profile({ known_at: changed })).toMatchObject({ event_count: 2 })
  })

  test('returns the time in UTC with milliseconds, in whatever form it was sent', async () => {
    expect(await profile({ known_at: '2026-11-20t11:30:00.9999+00:30' })).toMatchObject({
      known_at: '2026-11-20T11:00:00.999Z',
    })
  })
})

describe('a time is refused', () => {
  beforeEach(writeAda)

  test('when it is in the future', async () => {
    const url = withQuery('/entities/ada', {
      as_of: '2026-11-20T12:00:00.001Z',
      known_at: '2030-01-01T00:00:00Z',
    })
    const reply = await get(service.server, url)
    expectInvalid(reply, '/as_of in_future', '/known_at in_future')
    expect(reply.headers['position']).toBe('3')
  })

  test.each(['yesterday', '', '2026-11-20', '2026-11-20T09:30:00', '2026-02-31T09:30:00Z'])(
    'when it is not a time: %j',
    async (time) => {
      for (const name of ['as_of', 'known_at']) {
        const reply = await get(service.server, withQuery('/entities/ada', { [name]: time }))
        expect(expectFault(reply, 400, 'malformed_request').message).toContain(`"${name}"`)
      }
    },
  )

  test('when it has a + that the URL decodes as a space', async () => {
    const reply = await get(service.server, '/entities/ada?as_of=2026-11-20T09:30:00+01:00')
    expect(expectFault(reply, 400, 'malformed_request').message).toContain('%2B')
  })
})
