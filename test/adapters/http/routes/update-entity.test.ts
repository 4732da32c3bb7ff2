import { beforeEach, describe, expect, test } from '@jest/globals'
import type { LightMyRequestResponse } from 'fastify'
import { postBatch, update } from '../../../support/batch.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { StoppedClock } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const at = '2026-11-20T09:30:00.000Z'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(async () => {
  clock.time = at
  await post(service.server, '/entities', { external_id: 'ada', properties: { plan: 'free' } })
})

const send = (id: string, body: unknown, key?: string) =>
  patch(service.server, id, body, key === undefined ? {} : { 'idempotency-key': key })

const factsOf = (id: string) => service.store.read(`entity-${id}`)

describe('an existing entity is changed', () => {
  test.each<[string, object, object]>([
    ['set and unset', { set: { a: [1], b: null }, unset: ['c'] }, { set: { a: [1], b: null } }],
    ['set alone', { set: { plan: 'paid' } }, { unset: [] }],
    ['unset alone', { unset: ['plan', 'not-there', 'plan'] }, { set: {} }],
    ['upsert', { set: { a: 1 }, upsert: true }, { unset: [] }],
    ['names that objects inherit', { set: { constructor: 1 }, unset: ['toString'] }, {}],
    ['a name that a body cannot set', { unset: ['__proto__'] }, { set: {} }],
  ])('%s', async (_what, body, leftOut) => {
    const reply = await send('ada', body)
    const { upsert: _, ...sent } = { upsert: false, ...body, ...leftOut }
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { status: 'success', data: { external_id: 'ada', ...sent, updated_at: at } },
    ])
    expect(reply.headers).toMatchObject({
      position: '2',
      'request-id': expect.stringMatching(/./),
      'content-type': 'application/json; charset=utf-8',
    })
    expect(reply.headers).not.toHaveProperty('location')
    expect(reply.headers).not.toHaveProperty('idempotency-replayed')
    expect(factsOf('ada').map(({ type }) => type)).toEqual([
      'EntityCreated',
      'EntityPropertiesChanged',
    ])
    expect(JSON.parse(factsOf('ada')[1]?.data ?? '')).toEqual({
      externalId: 'ada',
      ...sent,
      changedAt: at,
    })
  })
})

describe('an upsert that changes nothing', () => {
  const nothing = [{ upsert: true }, { set: {}, unset: [], upsert: true }]
  const unchanged = {
    status: 'success',
    data: { external_id: 'ada', set: {}, unset: [], updated_at: null },
  }

  test.each(nothing)(
    'stores no fact for an existing entity, and returns the Position of its creation: %j',
    async (body) => {
      await send('ada', { set: { plan: 'paid' } })
      const head = await service.store.head()
      for (const key of [undefined, 'key', 'key']) {
        const reply = await send('ada', body, key)
        expect([reply.statusCode, reply.json()]).toEqual([200, unchanged])
        expect(reply.headers).toMatchObject({ position: '1' })
        expect(reply.headers).not.toHaveProperty('location')
        expect(reply.headers).not.toHaveProperty('idempotency-replayed')
      }
      expect(await service.store.head()).toEqual(head)
      expect(factsOf('ada')).toHaveLength(2)
    },
  )

  test('leaves its idempotency key free', async () => {
    await send('ada', { upsert: true }, 'key')
    const reply = await send('ada', { set: { a: 1 } }, 'key')
    expect([reply.statusCode, reply.headers['idempotency-replayed']]).toEqual([200, undefined])
    expectFault(await send('ada', { upsert: true }, 'key'), 422, 'idempotency_key_reused')
    expect(factsOf('ada')).toHaveLength(2)
  })

  test('works as an item of a batch', async () => {
    const { status, results } = await postBatch(service.server, [
      update('ada', { upsert: true }),
      update('ada', { upsert: true, idempotency_key: 'key' }),
    ])
    expect(status).toBe(200)
    const result = { status: 200, data: unchanged.data, position: '1', replayed: false }
    expect(results).toEqual([result, result])
    expect(factsOf('ada')).toHaveLength(1)
  })
})

describe('a missing entity', () => {
  test('is reported with advice', async () => {
    const fault = expectFault(await send('bob', { set: { a: 1 } }), 404, 'entity_not_found')
    expect(fault).toMatchObject({
      details: [],
      message: expect.stringContaining('this external_id'),
    })
    expect(factsOf('bob')).toEqual([])
  })

  test.each<[string, object, object]>([
    ['the properties in set', { set: { a: 1 }, upsert: true }, { a: 1 }],
    ['nothing', { upsert: true }, {}],
    ['only names to unset', { unset: ['a'], upsert: true }, {}],
  ])('is created by an upsert as by POST /entities, with %s', async (_w, body, given) => {
    const reply = await send('bob b/é', body)
    expect(reply.statusCode).toBe(201)
    expect(reply.json()).toEqual({
      status: 'success',
      data: { external_id: 'bob b/é', properties: given, created_at: at, recorded_at: at },
    })
    expect(reply.headers).toMatchObject({ position: '2', location: '/entities/bob%20b%2F%C3%A9' })
    expect(factsOf('bob b/é').map(({ type }) => type)).toEqual(['EntityCreated'])
  })
})

describe('a repeated change with its idempotency key', () => {
  async function expectReplay(first: LightMyRequestResponse, id: string, body: unknown) {
    const kept = factsOf(id)
    clock.time = '2027-01-01T00:00:00.000Z'
    const second = await send(id, body, 'key')
    expect([second.statusCode, second.body]).toEqual([first.statusCode, first.body])
    expect(second.headers).toMatchObject({
      position: first.headers['position'],
      'idempotency-replayed': 'true',
    })
    expect(second.headers.location).toBe(first.headers.location)
    expect(second.headers['request-id']).not.toBe(first.headers['request-id'])
    expect(factsOf(id)).toEqual(kept)
  }

  const set = '"set":{"a":1,"b":{"c":[1,2],"d":null}}'
  const turned = '"set": {"b":{"d":null,"c":[1e0,2.0]},"a":1}'

  test('of a change returns 200 like the first request', async () => {
    const first = await send('ada', `{${set},"unset":["x","y"]}`, 'key')
    expect(first.statusCode).toBe(200)
    await expectReplay(first, 'ada', `{"unset":["y","x","y"],${turned},"upsert":true}`)
  })

  test.each([
    ['the same', `{${turned},"upsert":true,"unset":["z"]}`],
    ['without upsert', `{${set}}`],
  ])('of a creation returns 201 like the first request: %s', async (_what, body) => {
    const first = await send('bob', `{${set},"unset":["x"],"upsert":true}`, 'key')
    expect([first.statusCode, first.headers.location]).toEqual([201, '/entities/bob'])
    await send('bob', { set: { a: 2 } })
    await expectReplay(first, 'bob', body)
  })

  test('is stored as the SHA-256 of command and key, whichever fact it stored', async () => {
    await send('ada', { set: { a: 1 } }, 'key')
    await send('bob', { upsert: true }, 'key')
    const idempotencyKey = '9fab7fbf8d3868c04728e325829f6cb876d6bb0a782b7e1d36818f6f0fa1eae0'
    for (const fact of [factsOf('ada')[1], factsOf('bob')[0]]) {
      expect(JSON.parse(fact?.metadata ?? '')).toMatchObject({ idempotencyKey })
    }
  })
})
