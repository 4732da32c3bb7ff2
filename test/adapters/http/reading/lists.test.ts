import { beforeEach, describe, expect, test } from '@jest/globals'
import type { LightMyRequestResponse } from 'fastify'
import { expectFault } from '../../../support/fault-expectation.js'
import { allPages, get, withQuery } from '../../../support/get.js'
import { httpService, StoppedClock } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(() => {
  clock.time = '2026-11-20T09:30:00.000Z'
})

const create = (externalId: string, properties = {}) =>
  post(service.server, '/entities', { external_id: externalId, properties })

const record = (name: string, occurred_at?: string, entity = 'ada') =>
  post(service.server, '/events', { entity_external_id: entity, name, occurred_at })

function data(reply: LightMyRequestResponse) {
  return reply.json<{ data: { items: Record<string, unknown>[]; next_cursor: string | null } }>()
    .data
}

async function page(path: string, query: Readonly<Record<string, string | number>> = {}) {
  return data(await get(service.server, withQuery(path, query)))
}

/** Returns the first cursor of a list with more than one item. */
async function cursorOf(path: string, query: Readonly<Record<string, string | number>> = {}) {
  const { next_cursor } = await page(path, { ...query, limit: 1 })
  if (next_cursor === null) throw new Error('one page holds it all')
  return next_cursor
}

describe('entities', () => {
  test('are listed in the order of their creation, with their current state', async () => {
    for (const id of ['b', 'a', 'c']) await create(id, { id })
    clock.time = '2026-11-20T09:31:00.000Z'
    await patch(service.server, 'a', { set: { more: 1 } })
    const reply = await get(service.server, '/entities')
    expect([reply.statusCode, reply.headers['position']]).toEqual([200, '4'])
    expect(data(reply)).toEqual({
      items: ['b', 'a', 'c'].map((id) => ({
        external_id: id,
        entity_id: service.store.read(`entity-${id}`)[0]?.id,
        properties: id === 'a' ? { id, more: 1 } : { id },
        created_at: '2026-11-20T09:30:00.000Z',
        recorded_at: '2026-11-20T09:30:00.000Z',
        updated_at: id === 'a' ? clock.time : '2026-11-20T09:30:00.000Z',
      })),
      next_cursor: null,
    })
  })

  test('of an empty store are an empty list', async () => {
    const reply = await get(service.server, '/entities')
    expect(reply.headers['position']).toBe('0')
    expect(data(reply)).toEqual({ items: [], next_cursor: null })
  })

  test('can be found by id, in upper or lower case', async () => {
    await create('ada')
    await create('eve')
    const id = service.store.read('entity-eve')[0]?.id ?? ''
    for (const entity_id of [id, id.toUpperCase()]) {
      const { items, next_cursor } = await page('/entities', { entity_id })
      expect([items.length, items[0]?.['external_id'], next_cursor]).toEqual([1, 'eve', null])
    }
    const unknown = '00000000-0000-0000-0000-000000000000'
    expect(await page('/entities', { entity_id: unknown })).toEqual({
      items: [],
      next_cursor: null,
    })
  })

  test('are not found by id when the limit is invalid', async () => {
    const entityId = '00000000-0000-0000-0000-000000000000'
    const reply = await get(service.server, `/entities?entity_id=${entityId}&limit=x`)
    expect(expectFault(reply, 400, 'malformed_request').message).toContain('"limit"')
  })

  test('are neither skipped nor repeated between pages while others are created', async () => {
    for (let at = 0; at < 5; at += 1) await create(`before-${String(at)}`)
    let made = 0
    const { items, pages } = await allPages(service.server, '/entities', { limit: 2 }, async () => {
      made += 1
      if (made <= 3) await create(`during-${String(made)}`)
    })
    expect(items.map((item) => item['external_id'])).toEqual([
      ...Array.from({ length: 5 }, (_, at) => `before-${String(at)}`),
      'during-1',
      'during-2',
      'during-3',
    ])
    expect(pages).toBe(4)
  })

  describe('entities whose external id begins with a text', () => {
    // The ids are in code point order, which differs from the order in UTF-16.
    const inOrder = ['ada', 'ada lovelace', 'ada%_/?', 'adam', 'ada\uff5e', 'ada🙂']
    beforeEach(async () => {
      for (const id of ['ADA', 'bada', ...inOrder, 'Ada', 'ad'].reverse()) await create(id, { id })
    })

    test('are listed in code point order, page by page, with their current state', async () => {
      for (const limit of [2, 100]) {
        const { items } = await allPages(service.server, '/entities', { starts_with: 'ada', limit })
        expect(items.map((item) => item['external_id'])).toEqual(inOrder)
        expect(items[0]).toMatchObject({ external_id: 'ada', properties: { id: 'ada' } })
      }
    })

    test.each([
      ['starts_with=', 'starts_with'],
      ['starts_with', 'starts_with'],
      [`starts_with=${'x'.repeat(256)}`, 'starts_with'],
      ['starts_with=%ed%a0%80', 'starts_with'],
      ['starts_with=a&starts_with=a', 'starts_with'],
      ['starts_with=a&entity_id=00000000-0000-0000-0000-000000000000', 'entity_id'],
    ])(
      'are refused with the name of the parameter when none can match: %s',
      async (query, name) => {
        const reply = await get(service.server, `/entities?${query}`)
        expect(expectFault(reply, 400, 'malformed_request').message).toContain(`"${name}"`)
      },
    )
  })

  describe('entities with a text at a property', () => {
    beforeEach(async () => {
      await create('ada', { email: 'ada@example.com' })
      await create('bob', { email: 'bob@example.com', address: { city: 'ada@example.com' } })
      await create('eve', { email: 'ada@example.com', plan: 'paid' })
      await create('kim', { email: ['ada@example.com'] })
      await create('lea', { email: '' })
    })
    const found = async (property: string, is: string) =>
      (await page('/entities', { property, is })).items.map((item) => item['external_id'])

    test('are found by exactly this text, in the order of creation', async () => {
      expect(await found('/email', 'ada@example.com')).toEqual(['ada', 'eve'])
      expect(await found('/address/city', 'ada@example.com')).toEqual(['bob'])
      expect(await found('/email', '')).toEqual(['lea'])
      for (const nobody of ['Ada@example.com', 'ada@example.com ', '["ada@example.com"]', '🙂']) {
        expect(await found('/email', nobody)).toEqual([])
      }
      const { items, next_cursor } = await page('/entities', {
        property: '/email',
        is: 'bob@example.com',
      })
      expect(next_cursor).toBeNull()
      expect(items).toEqual([
        {
          external_id: 'bob',
          entity_id: service.store.read('entity-bob')[0]?.id,
          properties: { email: 'bob@example.com', address: { city: 'ada@example.com' } },
          created_at: clock.time,
          recorded_at: clock.time,
          updated_at: clock.time,
        },
      ])
    })

    test.each([
      ['property=/email', 'property'],
      ['is=x', 'is'],
      ['property=email&is=x', 'property'],
      ['property=&is=x', 'property'],
      ['property=/~2&is=x', 'property'],
      ['property=/email&is=%ff', 'is'],
      ['property=/email&is=x&starts_with=a', 'property'],
      ['property=/email&is=x&entity_id=00000000-0000-0000-0000-000000000000', 'property'],
      ['starts_with=a&is=x', 'is'],
    ])(
      'are refused with the name of the parameter when none can match: %s',
      async (query, name) => {
        const reply = await get(service.server, `/entities?${query}`)
        expect(expectFault(reply, 400, 'malformed_request').message).toContain(`"${name}"`)
      },
    )

    test('are refused when the property is not searchable, with the list of searchable ones', async () => {
      for (const property of ['/plan', '/email/0', '/Email']) {
        const reply = await get(service.server, withQuery('/entities', { property, is: 'paid' }))
        const { message } = expectFault(reply, 422, 'not_searchable')
        expect(message).toContain('SEARCH_PROPERTIES names /email, /address/city.')
      }
      const none = httpService({ options: { searchProperties: [] } })
      const reply = await get(none.server, '/entities?property=/email&is=x')
      expect(expectFault(reply, 422, 'not_searchable').message).toContain('names none')
      await none.server.close()
    })
  })

  test('are listed by their last events, in one page', async () => {
    for (const id of ['ada', 'bob', 'none']) await create(id, { plan: 'free', more: 1 })
    await record('buy', '2026-11-20T08:00:00.000Z', 'ada')
    await record('buy', '2026-11-20T09:00:00.000Z', 'bob')
    const { items, next_cursor } = await page('/entities', {
      order: 'last_event',
      limit: 2,
      properties: '/plan,/none',
    })
    expect(
      items.map((one) => [one['external_id'], one['last_event_at'], one['properties']]),
    ).toEqual([
      ['bob', '2026-11-20T09:00:00.000Z', { '/plan': 'free' }],
      ['ada', '2026-11-20T08:00:00.000Z', { '/plan': 'free' }],
    ])
    expect(next_cursor).toBeNull()
  })

  test('have their last events in a requested order of creation, page by page', async () => {
    for (const id of ['b', 'a']) await create(id, { id })
    await record('buy', '2026-11-20T08:00:00.000Z', 'a')
    const query = { order: 'created', properties: '/id', limit: 1 }
    const first = await page('/entities', query)
    const second = await page('/entities', { ...query, cursor: first.next_cursor ?? '' })
    const all = [...first.items, ...second.items]
    expect(all.map((one) => [one['last_event_at'], one['properties']])).toEqual([
      [null, { '/id': 'b' }],
      ['2026-11-20T08:00:00.000Z', { '/id': 'a' }],
    ])
  })

  test.each([
    ['starts_with=a', ['a']],
    ['property=/email&is=x', ['a']],
    ['', ['a', 'b']],
  ])('have only the requested properties when they are found by %s', async (query, ids) => {
    await create('a', { email: 'x', address: { city: 'Delft' } })
    await create('b', { email: 'y', address: { city: 'Delft' } })
    const { items } = data(
      await get(service.server, `/entities?${query}&properties=/address/city,/x`),
    )
    expect(items.map((one) => [one['external_id'], one['properties']])).toEqual(
      ids.map((id) => [id, { '/address/city': 'Delft' }]),
    )
  })

  test.each([
    ['order=newest', 'order'],
    ['order=last_event&cursor=x', 'cursor'],
    ['order=last_event&starts_with=a', 'order'],
    ['properties=city', 'properties'],
    [`properties=${Array.from({ length: 17 }, () => '/a').join()}`, 'properties'],
  ])('are refused with the name of the parameter: %s', async (query, name) => {
    const reply = await get(service.server, `/entities?${query}`)
    expect(expectFault(reply, 400, 'malformed_request').message).toContain(`"${name}"`)
  })

  test('are returned a hundred at a time by default', async () => {
    for (let at = 0; at < 101; at += 1) await create(String(at))
    const first = await page('/entities')
    expect([first.items.length, first.next_cursor]).toEqual([100, expect.any(String)])
    expect((await page('/entities', { limit: 1_000 })).items).toHaveLength(101)
  })
})

describe("an entity's events", () => {
  // The events are in the order of recording. Two of them have equal times.
  const events = [
    ['login', '2026-11-20T05:00:00.000Z'],
    ['purchase', '2026-11-20T03:00:00.000Z'],
    ['login', '2026-11-20T05:00:00.000Z'],
    ['logout', undefined],
  ] as const
  beforeEach(async () => {
    await create('ada')
    await create('eve')
    for (const [at, [name, occurredAt]] of events.entries()) {
      clock.time = `2026-11-20T10:0${String(at)}:00.000Z`
      await record(name, occurredAt)
      await record('of another', undefined, 'eve')
    }
  })

  const ids = () =>
    service.store
      .read('entity-ada')
      .slice(1)
      .map((fact) => fact.id)
  const inOrder = (...places: number[]) => places.map((place) => ids()[place])

  test('contain all their fields', async () => {
    const { items, next_cursor } = await page('/entities/ada/events')
    expect(next_cursor).toBeNull()
    expect(items[0]).toEqual({
      id: ids()[3],
      name: 'logout',
      properties: {},
      timestamp: '2026-11-20T10:03:00.000Z',
      occurred_at: '2026-11-20T10:03:00.000Z',
    })
    expect(items[3]).toMatchObject({
      timestamp: '2026-11-20T10:01:00.000Z',
      occurred_at: '2026-11-20T03:00:00.000Z',
    })
  })

  test.each([
    [{}, [3, 2, 0, 1]],
    [{ by: 'occurred', order: 'desc' }, [3, 2, 0, 1]],
    [{ order: 'asc' }, [1, 0, 2, 3]],
    [{ by: 'recorded' }, [3, 2, 1, 0]],
    [{ by: 'recorded', order: 'asc' }, [0, 1, 2, 3]],
    [{ name: 'login' }, [2, 0]],
    [{ name: 'Login' }, []],
    [{ since: '2026-11-20T05:00:00Z' }, [3, 2, 0]],
    [{ until: '2026-11-20T05:00:00Z' }, [1]],
    [{ since: '2026-11-20T06:00:00+01:00', until: '2026-11-20T05:00:00.001Z' }, [2, 0]],
    [{ by: 'recorded', since: '2026-11-20T10:01:00Z', until: '2026-11-20T10:03:00Z' }, [2, 1]],
    [{ since: '2026-11-20T06:00:00Z', until: '2026-11-20T05:00:00Z' }, []],
  ] as [Record<string, string>, number[]][])(
    'match %j, in one page or many',
    async (query, places) => {
      const whole = await page('/entities/ada/events', query)
      expect(whole.items.map((item) => item['id'])).toEqual(inOrder(...places))
      const paged = await allPages(service.server, '/entities/ada/events', {
        ...query,
        limit: 1,
      })
      expect(paged.items.map((item) => item['id'])).toEqual(inOrder(...places))
    },
  )

  test('are neither skipped nor repeated between pages while others are recorded', async () => {
    for (const query of [{}, { by: 'recorded' }, { by: 'recorded', order: 'asc' }]) {
      const before = new Set(ids())
      let more = 0
      const { items } = await allPages(
        service.server,
        '/entities/ada/events',
        { ...query, limit: 1 },
        async () => {
          more += 1
          if (more <= 2) await record('login')
        },
      )
      const seen = items.map((item) => item['id'])
      expect(new Set(seen).size).toBe(seen.length)
      for (const id of before) expect(seen).toContain(id)
    }
  })

  test('include an event that occurred before the cursor when they are in recording order', async () => {
    const query = { by: 'recorded', order: 'asc', limit: 2 }
    const cursor = await cursorOf('/entities/ada/events', { ...query, limit: 2 })
    await record('late', '2026-11-20T01:00:00.000Z')
    const rest = await allPages(service.server, '/entities/ada/events', {
      ...query,
      cursor,
    })
    expect(rest.items.at(-1)?.['name']).toBe('late')
  })

  test('are an empty list for an entity without events', async () => {
    await create('new')
    expect(await page('/entities/new/events')).toEqual({ items: [], next_cursor: null })
  })
})

describe("an entity's history", () => {
  beforeEach(async () => {
    await create('ada', { plan: 'free' })
    await record('login')
    clock.time = '2026-11-20T09:31:00.000Z'
    await patch(service.server, 'ada', { set: { plan: 'paid' } }, { 'request-id': 'second' })
    await patch(service.server, 'ada', { unset: ['plan', 'x'] })
  })

  test('is listed newest first, with the creation last', async () => {
    const facts = service.store.read('entity-ada')
    const reply = await get(service.server, '/entities/ada/history')
    expect(reply.headers['position']).toBe('4')
    const { items, next_cursor } = data(reply)
    expect(next_cursor).toBeNull()
    expect(items.map((item) => item['fact_id'])).toEqual([facts[3]?.id, facts[2]?.id, facts[0]?.id])
    expect(items[1]).toEqual({
      fact_id: facts[2]?.id,
      changed_at: clock.time,
      occurred_at: clock.time,
      set: { plan: 'paid' },
      unset: [],
      request_id: 'second',
    })
    expect(items[0]).toMatchObject({ set: {}, unset: ['plan', 'x'] })
    expect(items[2]).toMatchObject({ set: { plan: 'free' }, unset: [] })
  })

  test('is neither skipped nor repeated between pages while it changes', async () => {
    const before = (await page('/entities/ada/history')).items.map((item) => item['fact_id'])
    const { items, pages } = await allPages(
      service.server,
      '/entities/ada/history',
      { limit: 1 },
      () => patch(service.server, 'ada', { set: { more: 1 } }),
    )
    expect(items.map((item) => item['fact_id'])).toEqual(before)
    expect(pages).toBe(3)
  })
})

describe('a cursor', () => {
  const eventsOfAda = '/entities/ada/events'
  const query = { by: 'recorded', order: 'asc', name: 'login', since: '2026-01-01T00:00:00Z' }
  beforeEach(async () => {
    for (const id of ['ada', 'eve']) {
      await create(id)
      for (let at = 0; at < 3; at += 1) await record('login', undefined, id)
      await patch(service.server, id, { set: { plan: 'free' } })
    }
  })

  test('works with another limit, and with equal parameters in another spelling', async () => {
    const cursor = await cursorOf(eventsOfAda, query)
    for (const same of [
      query,
      { ...query, limit: 1_000 },
      { ...query, since: '2026-01-01T01:00:00+01:00' },
    ]) {
      const reply = await get(service.server, withQuery(eventsOfAda, { ...same, cursor }))
      expect(reply.statusCode).toBe(200)
    }
    const ofDefaults = await cursorOf(eventsOfAda)
    const spelledOut = { by: 'occurred', order: 'desc', cursor: ofDefaults }
    expect((await page(eventsOfAda, spelledOut)).items).toHaveLength(2)
  })

  test('works at another replica and after a restart', async () => {
    const cursor = await cursorOf('/entities')
    const other = httpService({ eventStore: () => service.logged, clock })
    for (const { stream, position, ...fact } of service.logged.facts) {
      other.logged.add(stream, position, fact)
    }
    const reply = await get(other.server, withQuery('/entities', { cursor }))
    expect(data(reply)).toEqual(await page('/entities', { cursor }))
    await other.server.close()
  })

  test('makes a replica wait until it has applied the position of the previous page', async () => {
    const cursor = await cursorOf('/entities')
    const other = httpService({ clock })
    for (const { stream, position, ...fact } of service.logged.facts.slice(0, 3)) {
      other.logged.add(stream, position, fact)
    }
    const reply = await get(other.server, withQuery('/entities', { cursor }))
    expectFault(reply, 412, 'position_unknown')
    await other.server.close()
  })
})
