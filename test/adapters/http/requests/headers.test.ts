import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, listeningService, readKey, writeKey } from '../../../support/http-service.js'
import { callersHeaders, post } from '../../../support/post.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const ada = { external_id: 'ada' }

const service = sharedHttpService()

describe('without a valid key, the body is not read', () => {
  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['an unknown key', { authorization: 'Bearer unknown' }],
    ['another scheme', { authorization: `Basic ${writeKey}` }],
    ['no scheme', { authorization: writeKey }],
    ['no key', { authorization: 'Bearer ' }],
    ['a key with a space after it', { authorization: `Bearer ${writeKey} x` }],
    ['two keys', { authorization: `Bearer ${writeKey}, Bearer ${writeKey}` }],
    ['a key of 256 characters', { authorization: `Bearer ${'x'.repeat(256)}` }],
    ['a part of a key', { authorization: `Bearer ${writeKey.slice(0, -1)}` }],
  ])('%s', async (_what, headers) => {
    const reply = await service.server.inject({
      method: 'POST',
      url: '/entities',
      headers,
      payload: '{',
    })
    const fault = expectFault(reply, 401, 'unauthenticated')
    expect(reply.headers['www-authenticate']).toBe('Bearer')
    expect(fault.message).not.toContain(writeKey)
  })

  test('a key that may only read cannot write', async () => {
    const reply = await post(service.server, '/events', ada, { authorization: `Bearer ${readKey}` })
    expectFault(reply, 403, 'forbidden')
    expect(reply.headers['www-authenticate']).toBeUndefined()
  })

  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])(
    'the scheme of the key can be written %j',
    async (scheme) => {
      const reply = await post(service.server, '/entities', ada, {
        authorization: `${scheme} ${writeKey}`,
      })
      expect(reply.statusCode).toBe(201)
    },
  )

  test('a key of 255 characters is accepted', async () => {
    const asked: string[] = []
    const keyRing = { holderOf: (key: string) => void asked.push(key) }
    const { server } = httpService({ keyRing })
    await post(server, '/entities', ada, { authorization: `Bearer ${'~'.repeat(255)}` })
    expect(asked).toEqual(['~'.repeat(255)])
  })

  test.each(['/health/live', '/health/ready', '/openapi.json'])('%s needs no key', async (url) => {
    expect((await service.server.inject({ method: 'GET', url })).statusCode).toBe(200)
  })
})

describe('a header that is sent twice, of which Node drops the second', () => {
  let listening: Awaited<ReturnType<typeof listeningService>>
  beforeAll(async () => {
    listening = await listeningService()
  })
  afterAll(() => listening.server.close())
  const key = (value: string) => `Authorization: Bearer ${value}`
  const type = 'Content-Type: application/json'
  test.each<[string, string, string[], number]>([
    ['the same key', '/entities', [key(writeKey), key(writeKey), type], 400],
    ['a key, and then another', '/entities', [key(writeKey), key(readKey), type], 400],
    ['a key after one that is unknown', '/entities', [key('unknown'), key(writeKey), type], 400],
    ['the same key of an SDK', '/v1/track', [key(writeKey), key(writeKey)], 400],
    ['the same type', '/entities', [key(writeKey), type, type], 415],
    ['another type', '/entities', [key(writeKey), type, 'Content-Type: text/plain'], 415],
  ])('is refused: %s', async (_what, path, lines, status) => {
    const connection = await RawConnection.open(listening.port)
    connection.send(`POST ${path} HTTP/1.1`, 'Host: x', ...lines, 'Content-Length: 2', '', '{}')
    const reply = await connection.reply()
    connection.cut()
    expect(reply.status).toBe(status)
  })
})

describe('the Content-Type of a body', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json;',
    'application/json; charset = utf-8 ;',
    `application/json${' '.repeat(15_000)};\tcharset=utf-8`,
  ])('can be %s', async (type) => {
    const reply = await post(service.server, '/entities', ada, { 'content-type': type })
    expect(reply.statusCode).toBe(201)
  })

  test.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json5',
    'application/problem+json',
    'application/merge-patch+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json;;',
    'application/json; charset=utf-8=',
    'application/json; charset=""utf-8""',
    'application/json; charset=utf-8; profile=x',
    `application/json; charset=utf-8${' '.repeat(15_500)}x`,
    'application/json; profile=x',
    'application/json, text/plain',
    'x application/json',
    '*/*',
  ])('cannot be %j', async (type) => {
    const reply = await post(service.server, '/entities', ada, { 'content-type': type })
    expectFault(reply, 415, 'unsupported_media_type')
  })

  test('cannot be missing', async () => {
    const { authorization } = callersHeaders
    const reply = await service.server.inject({
      method: 'POST',
      url: '/entities',
      headers: { authorization },
      payload: Buffer.from('{}'),
    })
    expectFault(reply, 415, 'unsupported_media_type')
  })

  test.each(['gzip', 'identity', 'br, gzip', ''])(
    'cannot come with the Content-Encoding %j',
    async (encoding) => {
      const reply = await post(service.server, '/entities', ada, { 'content-encoding': encoding })
      expectFault(reply, 415, 'unsupported_media_type')
    },
  )
})

describe('the Request-Id', () => {
  test.each(['a', 'A-z_0.9', 'x'.repeat(128)])('%s is accepted', async (id) => {
    const stored = await post(service.server, '/entities', ada, { 'request-id': id })
    expect(stored.headers['request-id']).toBe(id)
    const [fact] = service.store.read('entity-ada')
    expect(JSON.parse(fact?.metadata ?? '')).toEqual({ schemaVersion: 1, $correlationId: id })
    const refused = await post(service.server, '/entities', ada, { 'request-id': id })
    expect(expectFault(refused, 409, 'entity_exists').request_id).toBe(id)
  })

  test.each(['', 'x'.repeat(129), 'a b', 'a,b', 'ä', 'a/b', 'a:b', "'", 'a\tb'])(
    '%j is replaced by a new one',
    async (id) => {
      const replies = [
        await post(service.server, '/entities', ada, { 'request-id': id }),
        await post(service.server, '/entities', ada, { 'request-id': id }),
      ]
      const made = replies.map((reply) => reply.headers['request-id'])
      expect(new Set(made).size).toBe(2)
      for (const one of made) expect(one).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  test('is on every reply', async () => {
    const headers = { 'request-id': 'mine' }
    for (const url of [
      '/health/live',
      '/health/ready',
      '/openapi.json',
      '/nothing',
      '/%',
      '/entities',
    ]) {
      const reply = await service.server.inject({ method: 'GET', url, headers })
      expect([url, reply.headers['request-id']]).toEqual([url, 'mine'])
    }
  })
})

describe('a 2xx', () => {
  test('for an entity returns the stored data, the location and the position', async () => {
    const reply = await post(service.server, '/entities', { external_id: 'a/b ?#%ä🦊' })
    expect(reply.statusCode).toBe(201)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      location: '/entities/a%2Fb%20%3F%23%25%C3%A4%F0%9F%A6%8A',
      position: '1',
    })
    expect(reply.headers['idempotency-replayed']).toBeUndefined()
    expect(reply.json()).toEqual({
      status: 'success',
      data: {
        external_id: 'a/b ?#%ä🦊',
        properties: {},
        created_at: '2026-11-20T09:30:00.000Z',
        recorded_at: '2026-11-20T09:30:00.000Z',
      },
    })
    expect(service.store.read('entity-a/b ?#%ä🦊')).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'EntityCreated',
        data: '{"externalId":"a/b ?#%ä🦊","properties":{},"createdAt":"2026-11-20T09:30:00.000Z"}',
        metadata: JSON.stringify({ schemaVersion: 1, $correlationId: reply.headers['request-id'] }),
      },
    ])
  })

  test('for an event returns the stored data and the position', async () => {
    await post(service.server, '/entities', ada)
    const event = { entity_external_id: 'ada', name: 'login', properties: { from: ['web', null] } }
    const reply = await post(service.server, '/events', event)
    const [, fact] = service.store.read('entity-ada')
    expect(reply.statusCode).toBe(201)
    expect([reply.headers['position'], reply.headers.location]).toEqual(['2', undefined])
    expect(reply.json()).toEqual({
      status: 'success',
      data: { id: fact?.id, ...event, timestamp: '2026-11-20T09:30:00.000Z' },
    })
    expect(JSON.parse(fact?.data ?? '')).toEqual({
      entityExternalId: 'ada',
      name: 'login',
      properties: { from: ['web', null] },
      recordedAt: '2026-11-20T09:30:00.000Z',
    })
  })

  test('never overwrites: creating an existing entity is refused and changes nothing', async () => {
    await post(service.server, '/entities', ada)
    const before = service.store.read('entity-ada')
    const reply = await post(service.server, '/entities', { ...ada, properties: { other: 1 } })
    expectFault(reply, 409, 'entity_exists')
    expect(service.store.read('entity-ada')).toEqual(before)
  })

  test('never creates by accident: an event requires its entity, spelled exactly', async () => {
    await post(service.server, '/entities', { external_id: 'é' })
    for (const other of ['e\u0301', 'É', 'e']) {
      const reply = await post(service.server, '/events', {
        entity_external_id: other,
        name: 'login',
      })
      expectFault(reply, 404, 'entity_not_found')
      expect(service.store.read(`entity-${other}`)).toEqual([])
    }
  })
})
