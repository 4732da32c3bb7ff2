import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { StoppedClock } from '../../../support/http-service.js'
import { post, type Path } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const clock = new StoppedClock()
const service = sharedHttpService({ clock })
beforeEach(async () => {
  clock.time = '2026-11-20T09:30:00.000Z'
  await post(service.server, '/entities', { external_id: 'eve' })
})

const send = (path: Path, body: unknown, key: string) =>
  post(service.server, path, body, { 'idempotency-key': key })

const entity = { external_id: 'ada', properties: { a: 1, b: [true, { c: null, d: 'x' }] } }
const event = { entity_external_id: 'eve', name: 'login', properties: { a: 1, b: { c: 2, d: 3 } } }

describe('an Idempotency-Key', () => {
  test.each(['k', '~', '!', 'x'.repeat(255), '"quoted"', 'a,b'])('%s is accepted', async (key) => {
    expect((await send('/entities', entity, key)).statusCode).toBe(201)
    expect((await send('/entities', entity, key)).headers['idempotency-replayed']).toBe('true')
  })

  test.each(['', 'x'.repeat(256), 'a b', 'ä', 'a\tb', 'key, key'])('%j is refused', async (key) => {
    const fault = expectFault(await send('/entities', entity, key), 400, 'malformed_request')
    expect(fault.message).toBe(
      'The Idempotency-Key must have 1 to 255 visible ASCII characters, and be sent once.',
    )
    expect(service.store.read('entity-ada')).toEqual([])
  })

  test.each<[Path, object, string, string]>([
    [
      '/entities',
      entity,
      'entity-ada',
      '28c1d975b4265fb189590db1003b9264caae353dd491577b6b0f8f0aadbff714',
    ],
    [
      '/events',
      event,
      'entity-eve',
      '6f94037f763484c630b6b9414d254a3683967c46900e1784d588439a0644ef6e',
    ],
  ])(
    'at %s is stored as the SHA-256 of command and key',
    async (path, body, stream, idempotencyKey) => {
      await send(path, body, 'key')
      const fact = service.store.read(stream).at(-1)
      expect(JSON.parse(fact?.metadata ?? '')).toMatchObject({ idempotencyKey })
    },
  )
})

describe('a repeated request gets the original response', () => {
  test.each<[string, Path, object, string]>([
    ['an entity', '/entities', entity, 'ada'],
    ['an event', '/events', event, 'eve'],
  ])('%s', async (_what, path, body, id) => {
    const first = await send(path, body, 'key')
    const kept = service.store.read(`entity-${id}`)
    clock.time = '2027-01-01T00:00:00.000Z'
    const second = await send(path, body, 'key')
    expect(second.statusCode).toBe(201)
    expect(second.body).toBe(first.body)
    expect(second.headers).toMatchObject({
      position: first.headers['position'],
      'idempotency-replayed': 'true',
    })
    expect(second.headers.location).toBe(first.headers.location)
    expect(second.headers['request-id']).not.toBe(first.headers['request-id'])
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(service.store.read(`entity-${id}`)).toEqual(kept)
  })

  test('even after other facts', async () => {
    const first = await send('/entities', entity, 'key')
    await send('/events', { entity_external_id: 'ada', name: 'login' }, 'key')
    await send('/events', { entity_external_id: 'ada', name: 'logout' }, 'other')
    expect((await send('/entities', entity, 'key')).body).toBe(first.body)
  })

  const eve = '"entity_external_id":"eve"'
  test.each<[string, string, string]>([
    [
      'its members in another order',
      `{${eve},"name":"x","properties":{"a":1,"b":2}}`,
      `{"properties":{"b":2,"a":1},"name":"x",${eve}}`,
    ],
    ['other spaces', `{${eve},"name":"x"}`, ` {\n${eve} ,"name" : "x" } `],
    [
      'numbers in another spelling',
      `{${eve},"name":"x","properties":{"a":[1,100,0]}}`,
      `{${eve},"name":"x","properties":{"a":[1.0,1e2,-0]}}`,
    ],
    ['text in another spelling', `{${eve},"name":"x"}`, `{${eve},"name":"\\u0078"}`],
    ['no properties instead of {}', `{${eve},"name":"x","properties":{}}`, `{${eve},"name":"x"}`],
    ['a repeated member', `{${eve},"name":"x"}`, `{${eve},"name":"y","name":"x"}`],
  ])('with %s', async (_what, one, other) => {
    const first = await send('/events', one, 'key')
    const second = await send('/events', other, 'key')
    expect([second.statusCode, second.body]).toEqual([201, first.body])
  })
})

describe('a key that was used with another body is refused', () => {
  test.each<[string, Path, object, object]>([
    ['other properties of an entity', '/entities', entity, { ...entity, properties: { a: 2 } }],
    ['no properties', '/entities', entity, { external_id: 'ada' }],
    ['another name', '/events', event, { ...event, name: 'logout' }],
    ['other properties of an event', '/events', event, { ...event, properties: { a: 1 } }],
    [
      'arrays in another order',
      '/events',
      { ...event, properties: { a: [1, 2] } },
      { ...event, properties: { a: [2, 1] } },
    ],
  ])('%s', async (_what, path, one, other) => {
    const first = await send(path, one, 'key')
    const reply = await send(path, other, 'key')
    expectFault(reply, 422, 'idempotency_key_reused')
    expect(reply.headers['idempotency-replayed']).toBeUndefined()
    expect((await send(path, one, 'key')).body).toBe(first.body)
  })

  test('but an invalid body gets its own error', async () => {
    await send('/entities', entity, 'key')
    expectFault(await send('/entities', { ...entity, x: 1 }, 'key'), 422, 'validation_failed')
  })
})

describe('a key is independent', () => {
  test('for each entity', async () => {
    await send('/entities', entity, 'key')
    const reply = await send('/entities', { ...entity, external_id: 'bob' }, 'key')
    expect([reply.statusCode, reply.headers['idempotency-replayed']]).toEqual([201, undefined])
  })

  test('for each endpoint', async () => {
    await send('/entities', entity, 'key')
    const reply = await send('/events', { ...event, entity_external_id: 'ada' }, 'key')
    expect([reply.statusCode, reply.headers['idempotency-replayed']]).toEqual([201, undefined])
  })

  test('for each spelling in upper or lower case', async () => {
    await send('/events', event, 'key')
    expect((await send('/events', event, 'KEY')).headers['idempotency-replayed']).toBeUndefined()
  })
})

describe('refused requests do not use up a key', () => {
  test('an event before its entity exists', async () => {
    const body = { ...event, entity_external_id: 'ada' }
    expectFault(await send('/events', body, 'key'), 404, 'entity_not_found')
    await send('/entities', entity, 'other')
    const reply = await send('/events', body, 'key')
    expect([reply.statusCode, reply.headers['idempotency-replayed']]).toEqual([201, undefined])
  })

  test('a body that breaks rules', async () => {
    expectFault(await send('/entities', { ...entity, x: 1 }, 'key'), 422, 'validation_failed')
    expect((await send('/entities', entity, 'key')).statusCode).toBe(201)
  })

  test('creating an existing entity stays refused, with or without a key', async () => {
    await send('/entities', entity, 'key')
    for (let times = 0; times < 2; times += 1) {
      expectFault(await send('/entities', entity, 'other'), 409, 'entity_exists')
      expectFault(await post(service.server, '/entities', entity), 409, 'entity_exists')
    }
  })
})

test('requests without a key are never treated as repeats', async () => {
  const replies = [
    await post(service.server, '/events', event),
    await post(service.server, '/events', event),
  ]
  expect(replies.map((reply) => reply.headers['position'])).toEqual(['2', '3'])
  expect(service.store.read('entity-eve')).toHaveLength(3)
})
