import { beforeEach, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { postBatch, record } from '../../../support/batch.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { StoppedClock } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const at = '2026-11-20T09:30:00.000Z'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(() => {
  clock.time = at
})

const login = { entity_external_id: 'ada', name: 'login', properties: { a: 1 } }
const upsert = { ...login, upsert: true }

const send = (body: unknown, key?: string) =>
  post(service.server, '/events', body, key === undefined ? {} : { 'idempotency-key': key })

const factsOf = (id: string) => service.store.read(`entity-${id}`)
const typesOf = (id: string) => factsOf(id).map(({ type }) => type)

describe('an event with upsert', () => {
  test.each([undefined, 'key'])(
    'creates a missing entity with {} and then records the event, key %s',
    async (key) => {
      const reply = await send({ ...upsert, occurred_at: '2026-11-19T19:05:00+01:00' }, key)
      expect([reply.statusCode, reply.json()]).toEqual([
        201,
        {
          status: 'success',
          data: {
            id: factsOf('ada')[1]?.id,
            ...login,
            timestamp: at,
            occurred_at: '2026-11-19T18:05:00.000Z',
          },
        },
      ])
      expect(reply.headers).toMatchObject({ position: '2' })
      expect(reply.headers).not.toHaveProperty('location')
      expect(reply.headers).not.toHaveProperty('idempotency-replayed')
      expect(typesOf('ada')).toEqual(['EntityCreated', 'EventRecorded'])
      expect(JSON.parse(factsOf('ada')[0]?.data ?? '')).toEqual({
        externalId: 'ada',
        properties: {},
        createdAt: at,
        occurredAt: '2026-11-19T18:05:00.000Z',
      })
    },
  )

  test('creates nothing when the entity exists', async () => {
    await post(service.server, '/entities', { external_id: 'ada', properties: { plan: 'free' } })
    expect((await send(upsert)).statusCode).toBe(201)
    expect(typesOf('ada')).toEqual(['EntityCreated', 'EventRecorded'])
  })

  test('set to false refuses a missing entity, and creates none', async () => {
    expectFault(await send(login), 404, 'entity_not_found')
    expectFault(await send({ ...login, upsert: false }), 404, 'entity_not_found')
    expect(typesOf('ada')).toEqual([])
  })

  test.each([
    [1, 'wrong_type'],
    [null, 'wrong_type'],
    ['true', 'wrong_type'],
  ])('must be true or false: %j is refused, and nothing is created', async (value, code) => {
    const fault = expectFault(await send({ ...login, upsert: value }), 422, 'validation_failed')
    expect(fault.details).toMatchObject([{ path: '/upsert', code }])
    expect(typesOf('ada')).toEqual([])
  })

  test('works in an item of a batch', async () => {
    const { short, results } = await postBatch(service.server, [
      record('ada', { upsert: true, idempotency_key: 'key' }),
      record('ada', { idempotency_key: 'key' }),
      record('bob'),
    ])
    expect(short).toEqual(['201', '201 replayed', '404 entity_not_found'])
    expect(results[0]).toMatchObject({ position: '2', data: { entity_external_id: 'ada' } })
    expect(typesOf('ada')).toEqual(['EntityCreated', 'EventRecorded'])
  })

  test('twice in one batch creates the entity once, and both events are recorded in order', async () => {
    const { short } = await postBatch(service.server, [
      record('ada', { upsert: true, name: 'one' }),
      record('ada', { upsert: true, name: 'two' }),
    ])
    expect(short).toEqual(['201', '201'])
    expect(typesOf('ada')).toEqual(['EntityCreated', 'EventRecorded', 'EventRecorded'])
    const names = factsOf('ada')
      .slice(1)
      .map(({ data }) => z.object({ name: z.string() }).parse(JSON.parse(data)).name)
    expect(names).toEqual(['one', 'two'])
  })
})

describe('a repeated event with an idempotency key', () => {
  test.each([
    [true, true],
    [true, false],
    [true, undefined],
    [false, true],
    [undefined, true],
  ])(
    'gets the idempotent response, whatever upsert says: first %s, then %s',
    async (first, second) => {
      if (first !== true) await post(service.server, '/entities', { external_id: 'ada' })
      const sent = await send({ ...login, upsert: first }, 'key')
      clock.time = '2026-12-01T00:00:00.000Z'
      const again = await send({ ...login, upsert: second }, 'key')
      expect([again.statusCode, again.body]).toEqual([sent.statusCode, sent.body])
      expect(again.headers).toMatchObject({ position: '2', 'idempotency-replayed': 'true' })
      expect(typesOf('ada')).toEqual(['EntityCreated', 'EventRecorded'])
    },
  )

  test('with another body is refused', async () => {
    await send(upsert, 'key')
    const reply = await send({ ...upsert, name: 'logout' }, 'key')
    expectFault(reply, 422, 'idempotency_key_reused')
    expect(typesOf('ada')).toEqual(['EntityCreated', 'EventRecorded'])
  })

  test('does not affect creations and changes of the entity with that key', async () => {
    await send(upsert, 'key')
    const headers = { 'idempotency-key': 'key' }
    const created = await post(service.server, '/entities', { external_id: 'ada' }, headers)
    expectFault(created, 409, 'entity_exists')
    const keys = factsOf('ada').map(({ metadata }) => keyIn(metadata))
    expect(new Set(keys).size).toBe(2)
  })
})

function keyIn(metadata: string): unknown {
  const read: unknown = JSON.parse(metadata)
  return typeof read === 'object' && read !== null && 'idempotencyKey' in read
    ? read.idempotencyKey
    : undefined
}
