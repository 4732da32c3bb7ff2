import { beforeEach, describe, expect, test } from '@jest/globals'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { sendDocumented } from '../../../support/documented-reply.js'
import { brokenRules, expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { get } from '../../../support/get.js'
import { httpService, StoppedClock, writeKey } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(async () => {
  clock.time = '2026-11-20T09:30:00.000Z'
  await post(service.server, '/entities', { external_id: 'ada' })
})

interface Recorded {
  readonly data: { readonly id: string }
}

async function record(
  name: string,
  occurredAt: string,
  { key, entity = 'ada' }: { readonly key?: string; readonly entity?: string } = {},
): Promise<string> {
  const body = { entity_external_id: entity, name, occurred_at: occurredAt }
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return (await post(service.server, '/events', body, headers)).json<Recorded>().data.id
}

function voidEvent(
  id: string,
  {
    reason,
    entity = 'ada',
    on = service,
  }: { reason?: string; entity?: string; on?: typeof service } = {},
) {
  const query = reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`
  return remove(`/entities/${entity}/events/${encodeURIComponent(id)}${query}`, on)
}

function remove(url: string, on = service) {
  const headers = { authorization: `Bearer ${writeKey}` }
  return sendDocumented(on.server, { method: 'DELETE', url, headers })
}

async function dataOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  service.readModel.catchUp()
  return (await get(service.server, path)).json<{ data: Readonly<Record<string, unknown>> }>().data
}

async function idsOf(query = ''): Promise<readonly unknown[]> {
  const { items } = await dataOf(`/entities/ada/events${query}`)
  return (items as readonly { readonly id: string }[]).map(({ id }) => id)
}

const voids = () => service.store.read('entity-ada').filter(({ type }) => type === 'EventVoided')

describe('an event is voided', () => {
  test('and counts nowhere any more', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    const purchase = await record('purchase', '2026-11-19T00:00:00Z')
    clock.time = '2026-11-21T00:00:00.000Z'
    const reply = await voidEvent(purchase, { reason: 'charged twice' })
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      {
        status: 'success',
        data: { id: purchase, voided_at: '2026-11-21T00:00:00.000Z', reason: 'charged twice' },
      },
    ])
    expect(await idsOf()).toEqual([login])
    expect(await dataOf('/entities/ada')).toMatchObject({
      event_count: 1,
      last_event_at: '2026-11-18T00:00:00.000Z',
    })
    expect(await dataOf('/dictionary')).toMatchObject({ events: [{ name: 'login', count: 1 }] })
    expect(await dataOf('/totals')).toMatchObject({ events: 1 })
  })

  test('include=voided lists it with the time and the reason of the void', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    const visit = await record('visit', '2026-11-19T00:00:00Z')
    clock.time = '2026-11-21T00:00:00.000Z'
    await voidEvent(login, { reason: 'charged twice' })
    await voidEvent(visit)
    const { items } = await dataOf('/entities/ada/events?include=voided')
    const voided_at = '2026-11-21T00:00:00.000Z'
    expect(items).toMatchObject([
      { id: visit, voided_at },
      { id: login, voided_at, void_reason: 'charged twice' },
    ])
    expect(items).not.toHaveProperty('0.void_reason')
  })

  test('as_of leaves it out, and known_at before the void has it', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    clock.time = '2026-11-22T00:00:00.000Z'
    await voidEvent(login)
    expect(await idsOf('?as_of=2026-11-20T12:00:00Z')).toEqual([])
    expect(await idsOf('?known_at=2026-11-21T00:00:00Z')).toEqual([login])
    expect(await dataOf('/entities/ada?known_at=2026-11-21T00:00:00Z')).toMatchObject({
      event_count: 1,
    })
    expect(await dataOf('/entities/ada?as_of=2026-11-20T12:00:00Z')).toMatchObject({
      event_count: 0,
    })
    clock.time = '2026-11-23T00:00:00.000Z'
    expectFault(
      await get(service.server, '/entities/ada?as_of=2026-11-18T12:00:00Z'),
      404,
      'entity_not_found',
    )
  })

  test('once: a repeated request gets the first reply, whatever its reason is', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    const first = await voidEvent(login, { reason: 'first' })
    clock.time = '2026-11-22T00:00:00.000Z'
    const second = await voidEvent(login, { reason: 'second' })
    expect(second.json()).toEqual(first.json())
    expect(second.headers).toMatchObject({
      'idempotency-replayed': 'true',
      position: first.headers['position'],
    })
    expect(voids()).toHaveLength(1)
  })

  test('once, by any number of requests at the same time', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    const replies = await Promise.all(Array.from({ length: 20 }, () => voidEvent(login)))
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(voids()).toHaveLength(1)
  })

  test('and a repeated request of the event itself stores nothing', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z', { key: 'k' })
    await voidEvent(login)
    expect(await record('login', '2026-11-18T00:00:00Z', { key: 'k' })).toBe(login)
    expect(await idsOf()).toEqual([])
  })

  test('before the read model has applied anything else that the store has', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    service.readModel.hold()
    await record('logout', '2026-11-18T00:00:00Z')
    expect((await voidEvent(login)).statusCode).toBe(200)
  })

  test('in a batch', async () => {
    const [login, logout] = [
      await record('login', '2026-11-18T00:00:00Z'),
      await record('logout', '2026-11-18T00:00:00Z'),
    ]
    const items = [login, logout, login, 'nothing'].map((event_id) => ({
      op: 'void_event',
      entity_external_id: 'ada',
      event_id,
    }))
    const reply = await post(service.server, '/batch', { items })
    expect(reply.json()).toMatchObject({
      data: {
        results: [
          { status: 200, data: { id: login }, replayed: false },
          { status: 200, data: { id: logout }, replayed: false },
          { status: 200, data: { id: login }, replayed: true },
          { status: 404, error: { code: 'event_not_found' } },
        ],
      },
    })
    expect(await idsOf()).toEqual([])
  })
})

describe('nothing is voided', () => {
  test.each(['x', '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719', '01A1FF14', '../ada', '\u0000'])(
    'by an id of no event: %j',
    async (id) => {
      expectFault(await voidEvent(id), 404, 'event_not_found')
    },
  )

  test('by the id of another fact, or of an event of another entity', async () => {
    await post(service.server, '/entities', { external_id: 'bob' })
    const login = await record('login', '2026-11-18T00:00:00Z', { entity: 'bob' })
    const creation = service.store.read('entity-ada').at(0)?.id ?? ''
    expectFault(await voidEvent(login), 404, 'event_not_found')
    expectFault(await voidEvent(creation), 404, 'event_not_found')
    expect(voids()).toEqual([])
  })

  test('of an entity that does not exist', async () => {
    expectFault(await voidEvent('x', { entity: 'nobody' }), 404, 'entity_not_found')
  })

  test('while the read model may not know the event yet', async () => {
    service.readModel.hold()
    const login = await record('login', '2026-11-18T00:00:00Z')
    expectFault(await voidEvent(login), 503, 'read_model_behind')
  })

  test('with a reason of more than 255 characters, or a reason that is not well-formed', async () => {
    const login = await record('login', '2026-11-18T00:00:00Z')
    const long = await voidEvent(login, { reason: 'x'.repeat(256) })
    expect(brokenRules(expectFault(long, 400, 'malformed_request'))).toEqual(['/reason too_long'])
    const halved = await remove(`/entities/ada/events/${login}?reason=%ED%A0%80`)
    const fault = expectFault(halved, 400, 'malformed_request')
    expect(brokenRules(fault)).toEqual(['/reason ill_formed'])
    expect(voids()).toEqual([])
    expect((await voidEvent(login, { reason: 'x'.repeat(255) })).statusCode).toBe(200)
  })

  test('of an entity whose name breaks the rules of names', async () => {
    const reply = await voidEvent('x', { entity: '%20ada' })
    expectInvalid(reply, '/external_id bad_characters')
  })

  test('of an entity with too many facts for a search', async () => {
    service.readModel.failure = new Refusal('too_many_facts', 'the entity has more than 3 facts')
    const { message } = expectFault(await voidEvent('x'), 422, 'too_many_facts')
    expect(message).toContain('Check the id of the event')
  })

  test.each([
    ['a reason of more than 255 characters', { reason: 'x'.repeat(256) }, '/reason', 'too_long'],
    ['a reason that is not well-formed', { reason: '\ud800' }, '/reason', 'ill_formed'],
    ['an id that is not well-formed', { event_id: '\udc00' }, '/event_id', 'ill_formed'],
  ])('by an item of a batch with %s', async (_what, members, path, code) => {
    const item = { op: 'void_event', entity_external_id: 'ada', event_id: 'x', ...members }
    const reply = await post(service.server, '/batch', { items: [item] })
    const error = { code: 'validation_failed', details: [{ path, code }] }
    expect(reply.json()).toMatchObject({ data: { results: [{ status: 422, error }] } })
  })

  test('by a process without a read model', async () => {
    const on = httpService({ reads: false })
    expectFault(await voidEvent('x', { on }), 404, 'route_not_found')
    await on.server.close()
  })
})
