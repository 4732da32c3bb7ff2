import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { LightMyRequestResponse } from 'fastify'
import type { Timeouts } from '../../../../src/adapters/http/server.js'
import type { RateLimit } from '../../../../src/adapters/http/ports/rate-limit.js'
import type { KeyRing } from '../../../../src/adapters/http/ports/key-ring.js'
import { openApiDocument } from '../../../../src/adapters/http/routes/open-api.js'
import { readRoutes, routes } from '../../../../src/adapters/http/routes/routes.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import {
  bodyLimit,
  httpService,
  keyRing as defaultKeyRing,
  listeningService,
  longTimeouts,
  readKey,
  shortTimeouts,
} from '../../../support/http-service.js'
import { OpenApiChecker } from '../../../support/open-api-checker.js'
import { post, type Path } from '../../../support/post.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPostHead } from '../../../support/raw-request.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
type ValidatorInput = Parameters<Validator['validate']>[0]

const served = [...routes, ...readRoutes]
const checker = new OpenApiChecker(openApiDocument(served, '0.0.0'))

function replyFaults(method: string, path: string, reply: LightMyRequestResponse) {
  const { statusCode: status, headers, body } = reply
  return checker.replyFaults({ path, method, status, headers, body })
}

const { server, lifecycle } = sharedHttpService()

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const document = (await server.inject('/openapi.json')).json<ValidatorInput>()
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '0.0.0' } })
    expect(await new Validator().validate(document)).toMatchObject({ valid: true })
    expect(await new Validator().validate({ openapi: '3.1.0' })).toMatchObject({ valid: false })
  })

  test('is served as it is made', async () => {
    const reply = await server.inject('/openapi.json')
    expect(reply.json()).toEqual(openApiDocument(served, '0.0.0'))
    expect(replyFaults('get', '/openapi.json', reply)).toEqual([])
  })

  test('lists every route and no other', async () => {
    await server.ready()
    const { paths } = (await server.inject('/openapi.json')).json<{
      paths: Record<string, object>
    }>()
    const listed = Object.entries(paths).flatMap(([url, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${url}`),
    )
    expect(listed.sort()).toEqual([
      'DELETE /segments/{key}',
      'DELETE /segments/{key}/members/{external_id}',
      'GET /entities',
      'GET /entities/{external_id}',
      'GET /entities/{external_id}/events',
      'GET /entities/{external_id}/history',
      'GET /entities/{external_id}/segments',
      'GET /entities/{external_id}/segments/{key}',
      'GET /facts',
      'GET /health/live',
      'GET /health/ready',
      'GET /health/ready/reads',
      'GET /metrics',
      'GET /openapi.json',
      'GET /segments',
      'GET /segments/{key}',
      'GET /segments/{key}/members',
      'GET /segments/{key}/versions',
      'PATCH /entities/{external_id}',
      'POST /batch',
      'POST /entities',
      'POST /events',
      'POST /segments/evaluate',
      'PUT /segments/{key}',
      'PUT /segments/{key}/members/{external_id}',
    ])
    for (const one of listed) {
      const [method, path] = one.split(' ') as [Method, string]
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      expect([one, server.hasRoute({ method, url })]).toEqual([one, true])
    }
  })

  test('says what needs a key', async () => {
    const { paths } = (await server.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { security: object[] }>>
    }>()
    for (const [url, operations] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(operations)) {
        const { statusCode } = await server.inject({
          method: method.toUpperCase() as Method,
          url,
        })
        expect([url, statusCode === 401]).toEqual([url, security.length > 0])
      }
    }
  })
})

describe('the checker bites on', () => {
  const headers = {
    'content-type': 'application/json',
    'request-id': 'x',
    position: '1',
    location: '/x',
  }
  const data = { external_id: 'ada', properties: {}, created_at: '2026-11-20T09:30:00.000Z' }
  const right = {
    path: '/entities',
    method: 'post',
    status: 201,
    headers,
    body: JSON.stringify({ status: 'success', data }),
  }
  test.each([
    ['a status that is not listed', { ...right, status: 202 }],
    ['another type', { ...right, headers: { ...headers, 'content-type': 'text/plain' } }],
    ['a header that is missing', { ...right, headers: { ...headers, position: undefined } }],
    ['a header of another form', { ...right, headers: { ...headers, position: 'one' } }],
    ['a header that is not listed', { ...right, headers: { ...headers, server: 'x' } }],
    ['a member that is missing', { ...right, body: '{"status":"success","data":{}}' }],
    [
      'a member too many',
      { ...right, body: JSON.stringify({ status: 'success', data: { ...data, x: 1 } }) },
    ],
    [
      'a time of another form',
      {
        ...right,
        body: JSON.stringify({ status: 'success', data: { ...data, created_at: '2026' } }),
      },
    ],
  ])('%s', (_what, exchange) => {
    expect(checker.replyFaults(right)).toEqual([])
    expect(checker.replyFaults(exchange)).not.toEqual([])
  })
})

const openPaths = [
  '/health/live',
  '/health/ready',
  '/health/ready/reads',
  '/openapi.json',
  '/metrics',
]
const busyKey = 'the-key-of-one-who-asks-too-often'
const keyRing: KeyRing = {
  holderOf: (key) => {
    if (key === busyKey) return { id: 'busy', name: 'busy', scopes: ['write'] }
    return defaultKeyRing.holderOf(key)
  },
}
const rateLimit: RateLimit = {
  take: (keyId) => Promise.resolve(keyId === 'busy' ? 3 : undefined),
}

const entity = { external_id: 'ada 🦊', properties: { a: [1, null, { b: 'x' }] } }
const event = { entity_external_id: 'ada 🦊', name: 'login' }

describe('what is accepted has the form of the document, and so has its reply', () => {
  test.each<[string, Path, object]>([
    ['an entity', '/entities', entity],
    ['an entity without properties', '/entities', { external_id: 'x' }],
    ['an entity of a long name', '/entities', { external_id: '🦊'.repeat(255) }],
    [
      'an entity of many properties',
      '/entities',
      {
        external_id: 'x',
        properties: Object.fromEntries(Array.from({ length: 512 }, (_, at) => [at, at])),
      },
    ],
    ['an event', '/events', event],
    ['an event with properties', '/events', { ...event, properties: entity.properties }],
    [
      'an event of its own time',
      '/events',
      { ...event, occurred_at: '2026-11-19t19:05:00.5+01:00' },
    ],
  ])('%s', async (_what, path, body) => {
    if (path === '/events') await post(server, '/entities', entity)
    for (const replayed of [undefined, 'true']) {
      const reply = await post(server, path, body, { 'idempotency-key': 'key' })
      expect([reply.statusCode, reply.headers['idempotency-replayed']]).toEqual([201, replayed])
      expect(replyFaults('post', path, reply)).toEqual([])
    }
    expect(checker.requestFaults(path, 'post', body)).toEqual([])
  })

  test.each<[string, Path, unknown]>([
    ['no object', '/entities', []],
    ['no name', '/entities', {}],
    ['an empty name', '/entities', { external_id: '' }],
    ['a name too long', '/events', { ...event, name: 'x'.repeat(256) }],
    ['an unknown field', '/events', { ...event, x: 1 }],
    ['properties of another type', '/entities', { ...entity, properties: [] }],
    ['null for properties', '/entities', { ...entity, properties: null }],
    ['null for a time', '/events', { ...event, occurred_at: null }],
    ['a time without an offset', '/events', { ...event, occurred_at: '2026-11-19T18:05:00' }],
    ['a day that is none', '/events', { ...event, occurred_at: '2026-02-31T18:05:00Z' }],
    [
      'too many properties',
      '/entities',
      {
        ...entity,
        properties: Object.fromEntries(Array.from({ length: 513 }, (_, at) => [at, at])),
      },
    ],
  ])('and what the document refuses is refused: %s', async (_what, path, body) => {
    expect(checker.requestFaults(path, 'post', body)).not.toEqual([])
    expect((await post(server, path, body)).statusCode).toBe(422)
  })
})

describe('faults have the form that the document gives them', () => {
  const limited = sharedHttpService({ keyRing, rateLimit })
  const faulty: [number, string | object, Record<string, string>][] = [
    [400, '{', {}],
    [400, entity, { 'idempotency-key': 'a b' }],
    [401, entity, { authorization: '' }],
    [403, entity, { authorization: `Bearer ${readKey}` }],
    [413, ' '.repeat(bodyLimit + 1), {}],
    [415, entity, { 'content-type': 'text/plain' }],
    [422, [], {}],
    [429, entity, { authorization: `Bearer ${busyKey}` }],
    [422, { '': 1, 'a/b': 2, properties: { a: 1e300 } }, {}],
  ]
  test.each(
    (['/entities', '/events'] as const).flatMap((path) =>
      faulty.map((one) => [path, ...one] as const),
    ),
  )('%s: %i for %j with %j', async (path, status, body, headers) => {
    const reply = await post(limited.server, path, body, headers)
    expect(reply.statusCode).toBe(status)
    expect(replyFaults('post', path, reply)).toEqual([])
  })

  test.each([
    [503, new Refusal('store_unavailable', 'x')],
    [503, new Refusal('overloaded', 'x')],
    [504, new Refusal('outcome_unknown', 'x')],
    [500, new Error('x')],
  ])('%i for %s', async (status, error) => {
    const failing = httpService({
      eventStore: () => ({ append: () => Promise.reject(error) }),
      health: { check: () => Promise.reject(error) },
    })
    const replies: [Path, LightMyRequestResponse][] = [
      ['/entities', await post(failing.server, '/entities', entity)],
      ['/events', await post(failing.server, '/events', event)],
    ]
    for (const [path, reply] of replies) {
      expect(reply.statusCode).toBe(status)
      expect(replyFaults('post', path, reply)).toEqual([])
    }
    const ready = await failing.server.inject('/health/ready')
    expect(ready.statusCode).toBe(503)
    expect(replyFaults('get', '/health/ready', ready)).toEqual([])
    await failing.server.close()
  })

  test('409, 404 and a key used again', async () => {
    const missing = await post(server, '/events', event)
    const key = { 'idempotency-key': 'key' }
    await post(server, '/entities', entity, key)
    const exists = await post(server, '/entities', entity)
    const reused = await post(server, '/entities', { external_id: entity.external_id }, key)
    expect([missing.statusCode, exists.statusCode, reused.statusCode]).toEqual([404, 409, 422])
    expect(replyFaults('post', '/events', missing)).toEqual([])
    expect(replyFaults('post', '/entities', exists)).toEqual([])
    expect(replyFaults('post', '/entities', reused)).toEqual([])
  })

  test.each([...openPaths])('%s, at all times', async (url) => {
    const replies = [await server.inject(url)]
    for (const next of ['draining', 'closing'] as const) {
      lifecycle.state = next
      replies.push(await server.inject(url))
    }
    for (const reply of replies) expect(replyFaults('get', url, reply)).toEqual([])
  })
})

describe('so have the faults below Fastify, whatever was asked for', () => {
  const serve = (timeouts: Timeouts) => listeningService({ options: { timeouts } })
  let patient: Awaited<ReturnType<typeof serve>>
  let impatient: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    patient = await serve(longTimeouts)
    impatient = await serve(shortTimeouts)
  })
  afterAll(async () => {
    await patient.server.close()
    await impatient.server.close()
  })

  const operations = [
    ['/entities', 'post'],
    ['/events', 'post'],
    ['/health/live', 'get'],
    ['/health/ready', 'get'],
    ['/health/ready/reads', 'get'],
    ['/entities', 'get'],
    ['/entities/{external_id}', 'get'],
    ['/facts', 'get'],
    ['/openapi.json', 'get'],
    ['/metrics', 'get'],
  ] as const
  test.each(
    operations.flatMap(([path, method]) => {
      const head = (headers: string[]) =>
        method === 'post' ? rawPostHead(path, headers) : rawGet(path, headers)
      return [
        { path, method, status: 400, bytes: head(['Broken']) },
        { path, method, status: 400, bytes: head(['Host: twice']) },
        { path, method, status: 408, bytes: head([]).slice(0, -2) },
        { path, method, status: 431, bytes: head([`A: ${'x'.repeat(20_000)}`]) },
      ]
    }),
  )('$path: $status', async ({ path, method, status, bytes }) => {
    const { port } = status === 408 ? impatient : patient
    const connection = await RawConnection.open(port)
    connection.send(bytes)
    const reply = await connection.reply()
    expect(reply.status).toBe(status)
    expect(checker.replyFaults({ path, method, ...reply })).toEqual([])
    connection.cut()
  })
})
