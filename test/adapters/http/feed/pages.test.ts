import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { addEntity, addEvents } from '../../../support/feed-facts.js'
import { get, withQuery, type QueryValues } from '../../../support/get.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

interface Page {
  readonly items: readonly {
    readonly position: string
    readonly id: string
    readonly type: string
  }[]
  readonly next_cursor: string
  readonly at_head: boolean
}

const service = sharedHttpService()

const facts = (query: QueryValues = {}, headers = {}) =>
  get(service.server, withQuery('/facts', query), headers)

async function page(query: QueryValues = {}): Promise<Page> {
  const reply = await facts(query)
  expect(reply.statusCode).toBe(200)
  return reply.json<{ data: Page }>().data
}

async function positions(query: QueryValues = {}): Promise<readonly number[]> {
  return (await page(query)).items.map(({ position }) => Number(position))
}

/** Returns the cursor of the fact at this index of the log. */
function cursor(at: number): string {
  const fact = service.logged.facts[at]
  return `${String(fact?.position)}.${fact?.id.slice(0, 8) ?? ''}`
}

test('a page has the facts in their public form, and the cursor of the next page', async () => {
  await post(service.server, '/entities', { external_id: 'ada', properties: { plan: 'free' } })
  await patch(service.server, 'ada', { unset: ['plan'] }, { 'request-id': 'second' })
  const event = { entity_external_id: 'ada', name: 'login', properties: { a: [1] } }
  await post(service.server, '/events', event)
  const reply = await facts()
  expect(reply.headers).toMatchObject({ position: '3', 'cache-control': 'no-store' })
  const createdAt = '2026-11-20T09:30:00.000Z'
  const ids = service.logged.facts.map(({ id }) => id)
  expect(reply.json()).toEqual({
    status: 'success',
    data: {
      items: [
        {
          position: '1',
          id: ids[0],
          type: 'EntityCreated',
          stream: 'entity-ada',
          data: { external_id: 'ada', properties: { plan: 'free' }, created_at: createdAt },
          request_id: expect.any(String),
        },
        {
          position: '2',
          id: ids[1],
          type: 'EntityPropertiesChanged',
          stream: 'entity-ada',
          data: { external_id: 'ada', set: {}, unset: ['plan'], changed_at: createdAt },
          request_id: 'second',
        },
        {
          position: '3',
          id: ids[2],
          type: 'EventRecorded',
          stream: 'entity-ada',
          data: {
            entity_external_id: 'ada',
            name: 'login',
            properties: { a: [1] },
            recorded_at: createdAt,
          },
          request_id: expect.any(String),
        },
      ],
      next_cursor: cursor(2),
      at_head: true,
    },
  })
})

test('an empty store returns an empty page, whose cursor leads to all later facts', async () => {
  expect(await page()).toEqual({ items: [], next_cursor: 'start', at_head: true })
  addEntity(service.logged, 'ada')
  expect(await positions({ after: 'start' })).toEqual([3])
})

describe('with facts at 3, 6, 9, 12 and 15', () => {
  beforeEach(() => {
    addEntity(service.logged, 'ada')
    addEvents(service.logged, 'ada', 2)
    addEntity(service.logged, 'Ева 🦊')
    addEvents(service.logged, 'Ева 🦊', 1)
  })

  test('reading page after page returns every fact once and in order', async () => {
    const seen: string[] = []
    let cursor = 'start'
    for (let atHead = false; !atHead;) {
      const one = await page({ cursor, limit: 2 })
      seen.push(...one.items.map(({ position }) => position))
      cursor = one.next_cursor
      atHead = one.at_head
      if (seen.length === 2) addEvents(service.logged, 'ada', 1)
    }
    expect(seen).toEqual(['3', '6', '9', '12', '15', '18'])
    expect(await page({ cursor })).toEqual({ items: [], next_cursor: cursor, at_head: true })
  })

  test('reading starts at the given position', async () => {
    expect(await positions({ after: 'start' })).toEqual([3, 6, 9, 12, 15])
    expect(await positions({ after: cursor(1) })).toEqual([9, 12, 15])
    expect(await positions({ after: '0' })).toEqual([3, 6, 9, 12, 15])
    expect(await positions({ after: '9' })).toEqual([12, 15])
    expect(await positions({ after: '10' })).toEqual([12, 15])
    expect(await positions({ after: 'now' })).toEqual([])
  })

  test('"now" means after the last known fact', async () => {
    const { next_cursor } = await page({ after: 'now' })
    expect(next_cursor).toBe(cursor(4))
    addEvents(service.logged, 'ada', 1)
    expect(await positions({ after: next_cursor })).toEqual([18])
  })

  test('a bare position beyond the last fact is kept as it is', async () => {
    expect(await page({ after: '9999' })).toEqual({ items: [], next_cursor: '9999', at_head: true })
  })

  test.each([
    [{ types: 'EntityCreated' }, [3, 12]],
    [{ types: 'EventRecorded,EntityCreated' }, [3, 6, 9, 12, 15]],
    [{ types: 'EntityPropertiesChanged' }, []],
    [{ entity: 'ada' }, [3, 6, 9]],
    [{ entity: 'Ева 🦊' }, [12, 15]],
    [{ entity: 'ева 🦊' }, []],
    [{ entity: 'ada', types: 'EventRecorded' }, [6, 9]],
  ] as [QueryValues, number[]][])(
    'the filter %j returns the matching facts',
    async (query, expected) => {
      expect(await positions(query)).toEqual(expected)
      // The cursor is after the facts that the filter skipped at the end.
      expect((await page(query)).next_cursor).toBe(cursor(4))
    },
  )

  test.each(['3.00000000', '4.00000000', '18.00000000', '0.00000000'])(
    'a cursor whose fact does not exist is refused: %s',
    async (after) => {
      const reply = await facts({ after })
      expectFault(reply, 412, 'position_unknown')
      expect(reply.headers['position']).toBe('15')
    },
  )

  test('a cursor beyond the applied position waits, and is checked afterwards', async () => {
    service.readModel.hold()
    addEvents(service.logged, 'ada', 1)
    expectFault(await facts({ after: cursor(5) }), 503, 'read_model_behind')
    service.readModel.catchUp()
    expect(await positions({ after: cursor(5) })).toEqual([])
  })

  test('a page reports the end of the log only if the store has no later fact', async () => {
    service.readModel.hold()
    addEvents(service.logged, 'ada', 2)
    const known = await page()
    expect([known.items.length, known.at_head]).toEqual([5, false])
    service.readModel.catchUp()
    const rest = await page({ after: known.next_cursor })
    expect([rest.items.length, rest.at_head]).toEqual([2, true])
  })

  test.each([
    ['after', ''],
    ['after', 'end'],
    ['after', 'START'],
    ['after', '-1'],
    ['after', '3.'],
    ['after', '3.0000000'],
    ['after', '3.000000000'],
    ['after', '3.0000000G'],
    ['after', '1'.repeat(21)],
    ['cursor', 'end'],
    ['cursor', '3.0000000G'],
    ['types', ''],
    ['types', 'EntityCreated,'],
    ['types', 'Unknown'],
    ['types', 'EntityCreated, EventRecorded'],
    ['types', '__proto__'],
    ['entity', ''],
    ['entity', ' ada'],
  ])('a malformed parameter is named: %s=%s', async (name, value) => {
    const fault = expectFault(await facts({ [name]: value }), 400, 'malformed_request')
    expect(fault.message).toContain(`"${name}"`)
  })

  test('"cursor" and "after" together are refused', async () => {
    const fault = expectFault(await facts({ cursor: '3', after: 'now' }), 400, 'malformed_request')
    expect(fault.details).toMatchObject([{ path: '/after', code: 'conflict' }])
  })

  test('Last-Event-ID is accepted only for streams', async () => {
    const reply = await facts({}, { 'last-event-id': 'malformed' })
    expect(reply.statusCode).toBe(200)
  })

  test.each([
    'application/json',
    '*/*',
    'text/*',
    '',
    'text/event-stream;q=0',
    'text/event-streams',
  ])('a page is returned for Accept: %s', async (accept) => {
    const reply = await facts({}, { accept })
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('HEAD returns the headers of a page, even if a stream is requested', async () => {
    const reply = await service.server.inject({
      method: 'HEAD',
      url: '/facts',
      headers: {
        authorization: `Bearer a-key-that-may-read-0123456789`,
        accept: 'text/event-stream',
      },
    })
    expect([reply.statusCode, reply.body, reply.headers['position']]).toEqual([200, '', '15'])
  })
})
