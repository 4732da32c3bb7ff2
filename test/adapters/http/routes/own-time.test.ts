import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { StoppedClock } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(() => {
  clock.time = '2026-11-20T09:30:00.007Z'
})

const now = '2026-11-20T09:30:00.007Z'
const dataOf = (externalId: string) =>
  service.store.read(`entity-${externalId}`).map(({ data }) => JSON.parse(data) as object)
const keyed = (key: string) => ({ 'idempotency-key': key })

describe('a creation can have its own time', () => {
  test.each([
    ['an instant', '2024-03-01T10:00:00+01:00', '2024-03-01T09:00:00.000Z'],
    ['a day, which is its midnight in UTC', '2024-03-01', '2024-03-01T00:00:00.000Z'],
  ])('as %s', async (_what, sent, stored) => {
    const body = { external_id: 'ada', occurred_at: sent }
    const reply = await post(service.server, '/entities', body)
    expect([reply.statusCode, reply.json()]).toMatchObject([
      201,
      { data: { external_id: 'ada', properties: {}, created_at: stored, recorded_at: now } },
    ])
    expect(dataOf('ada')).toEqual([
      { externalId: 'ada', properties: {}, createdAt: now, occurredAt: stored },
    ])
  })

  test('that an upsert gives it', async () => {
    const occurred_at = '2024-03-01T00:00:00Z'
    const body = { set: { plan: 'paid' }, upsert: true, occurred_at }
    const reply = await patch(service.server, 'bob', body)
    expect(reply.json()).toMatchObject({ data: { created_at: '2024-03-01T00:00:00.000Z' } })
    const event = { entity_external_id: 'cleo', name: 'buy', upsert: true, occurred_at }
    await post(service.server, '/events', event)
    const created = [dataOf('bob')[0], dataOf('cleo')[0]]
    const occurredAt = '2024-03-01T00:00:00.000Z'
    expect(created).toMatchObject([{ occurredAt }, { occurredAt }])
  })
})

describe('a change can have its own time', () => {
  test('which the reply repeats beside the time of recording', async () => {
    await post(service.server, '/entities', { external_id: 'ada' })
    const body = { set: { plan: 'paid' }, occurred_at: '2026-11-19' }
    const reply = await patch(service.server, 'ada', body)
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      {
        status: 'success',
        data: {
          external_id: 'ada',
          set: { plan: 'paid' },
          unset: [],
          updated_at: now,
          occurred_at: '2026-11-19T00:00:00.000Z',
        },
      },
    ])
    const plain = await patch(service.server, 'ada', { set: { plan: 'free' } })
    expect(plain.json<{ data: object }>().data).not.toHaveProperty('occurred_at')
    expect(service.store.read('entity-ada').map(({ metadata }) => metadata.slice(0, 18))).toEqual([
      '{"schemaVersion":1',
      '{"schemaVersion":2',
      '{"schemaVersion":1',
    ])
  })

  test('and a time in the future is refused', async () => {
    const body = { external_id: 'ada', occurred_at: '2026-11-20T09:31:00.008Z' }
    const fault = expectFault(
      await post(service.server, '/entities', body),
      422,
      'validation_failed',
    )
    expect(fault.details).toMatchObject([{ path: '/occurred_at', code: 'in_future' }])
  })
})

describe('a repeated request', () => {
  test.each([
    ['a creation', () => post(service.server, '/entities', { external_id: 'ada', ...first }, key)],
    ['an upsert that created', () => patch(service.server, 'ada', { upsert: true, ...first }, key)],
  ])('of %s may write the instant in another way', async (_what, send) => {
    expect((await send()).statusCode).toBe(201)
    first.occurred_at = '2024-03-01T01:00:00+01:00'
    const again = await send()
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
    first.occurred_at = '2024-03-01T00:00:00.001Z'
    expectFault(await send(), 422, 'idempotency_key_reused')
  })

  const key = keyed('one')
  const first = { occurred_at: '2024-03-01' }
  beforeEach(() => {
    first.occurred_at = '2024-03-01'
  })

  test('of a change with another instant is refused', async () => {
    await post(service.server, '/entities', { external_id: 'ada' })
    const send = (occurred_at?: string) =>
      patch(service.server, 'ada', { set: { a: 1 }, occurred_at }, key)
    expect((await send('2024-03-01')).statusCode).toBe(200)
    expect((await send('2024-03-01T00:00:00Z')).headers['idempotency-replayed']).toBe('true')
    expectFault(await send(), 422, 'idempotency_key_reused')
    expectFault(await send('2024-03-02'), 422, 'idempotency_key_reused')
  })
})

test('the items of a batch have own times', async () => {
  const occurred_at = '2024-03-01'
  const items = [
    { op: 'create_entity', external_id: 'ada', occurred_at },
    { op: 'update_entity', external_id: 'ada', set: { a: 1 }, occurred_at: '2024-03-02' },
  ]
  const reply = await post(service.server, '/batch', { items })
  expect(reply.json()).toMatchObject({
    data: {
      results: [
        { status: 201, data: { created_at: '2024-03-01T00:00:00.000Z', recorded_at: now } },
        { status: 200, data: { occurred_at: '2024-03-02T00:00:00.000Z', updated_at: now } },
      ],
    },
  })
})
