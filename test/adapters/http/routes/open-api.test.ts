import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import type { Timeouts } from '../../../../src/adapters/http/http-options.js'
import { openApiDocument } from '../../../../src/adapters/http/routes/open-api.js'
import { readRoutes, routes } from '../../../../src/adapters/http/routes/routes.js'
import { create, record, update } from '../../../support/batch.js'
import { EventStream } from '../../../support/event-stream.js'
import { listeningService, longTimeouts, shortTimeouts } from '../../../support/http-service.js'
import { post, type Path } from '../../../support/post.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPostHead } from '../../../support/raw-request.js'
import { checker, servedDocument } from '../../../support/served-document.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'
type ValidatorInput = Parameters<Validator['validate']>[0]

const served = [...routes, ...readRoutes]
const formatMembers = /"format":"[^"]+"/g

function replyFaults(method: string, path: string, reply: LightMyRequestResponse) {
  const { statusCode: status, headers, body } = reply
  return checker.replyFaults({ path, method, status, headers, body })
}

const { server, lifecycle, readModel } = sharedHttpService()

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const document = (await server.inject('/openapi.json')).json<ValidatorInput>()
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '0.0.0' } })
    expect(await new Validator().validate(document)).toMatchObject({ valid: true })
    expect(await new Validator().validate({ openapi: '3.1.0' })).toMatchObject({ valid: false })
  })

  test('is served as it was generated', async () => {
    const reply = await server.inject('/openapi.json')
    expect(reply.json()).toEqual(servedDocument)
    expect(replyFaults('get', '/openapi.json', reply)).toEqual([])
  })

  test.each([
    ['a process with a read model', served],
    ['a process without a read model', routes],
  ] as const)('contains the target of every reference: %s', (_kind, described) => {
    const document = openApiDocument(described, '0.0.0')
    const refs = new Set(JSON.stringify(document).match(/(?<="\$ref":")[^"]+/g))
    const { components } = z
      .object({ components: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(document)
    const known = Object.entries(components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    )
    expect([...refs].filter((ref) => !known.includes(ref))).toEqual([])
    expect(refs).toContain('#/components/schemas/Rule')
  })

  test('says of every object which members it has', () => {
    const bare: string[] = []
    const visit = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return
      const says = ['properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf']
      const isObject = 'type' in value && value.type === 'object'
      if (isObject && !says.some((word) => word in value)) bare.push(path)
      for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`)
    }
    visit(servedDocument, '')
    expect(bare).toEqual([])
    visit({ type: 'object', description: 'any' }, '#')
    expect(bare).toEqual(['#'])
  })

  test('names only formats that validators know', () => {
    const named = new Set(JSON.stringify(servedDocument).match(formatMembers))
    const validator = new Ajv2020()
    formats.default(validator)
    const names = [...named].map((member) => member.slice('"format":"'.length, -1))
    expect(names.filter((name) => !(name in validator.formats))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['date', 'date-time']))
  })

  test('lists only routes of the server', async () => {
    await server.ready()
    const { paths } = (await server.inject('/openapi.json')).json<{
      paths: Record<string, object>
    }>()
    const listed = Object.entries(paths).flatMap(([url, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${url}`),
    )
    expect(listed).toContain('DELETE /entities/{external_id}/events/{event_id}')
    for (const one of listed) {
      const [method, path] = one.split(' ') as [Method, string]
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      expect([one, server.hasRoute({ method, url })]).toEqual([one, true])
    }
  })
})

describe('the checker detects', () => {
  const headers = {
    'content-type': 'application/json',
    'request-id': 'x',
    position: '1',
    location: '/x',
  }
  const data = {
    external_id: 'ada',
    properties: {},
    created_at: '2026-11-20T09:30:00.000Z',
    recorded_at: '2026-11-20T09:30:00.000Z',
  }
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
      'an extra member',
      { ...right, body: JSON.stringify({ status: 'success', data: { ...data, x: 1 } }) },
    ],
    [
      'a time in another form',
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
const entity = { external_id: 'ada 🦊', properties: { a: [1, null, { b: 'x' }] } }
const event = { entity_external_id: 'ada 🦊', name: 'login' }

describe('accepted requests and their replies match the document', () => {
  test.each<[string, Path, object]>([
    [
      'items of every kind',
      '/batch',
      {
        items: [
          create('ada', { properties: { a: [1, null] }, idempotency_key: 'k' }),
          record('ada', { idempotency_key: 'k' }),
          update('ada', { set: { b: 1 }, unset: ['a'] }),
          update('bob', { set: { b: 1 }, upsert: true }),
        ],
      },
    ],
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
    ['an event with properties', '/events', { ...event, properties: entity.properties }],
    [
      'an event of its own time',
      '/events',
      { ...event, occurred_at: '2026-11-19t19:05:00.5+01:00' },
    ],
  ])('%s', async (_what, path, body) => {
    if (path === '/events') await post(server, '/entities', entity)
    expect((await post(server, path, body)).statusCode).toBe(path === '/batch' ? 200 : 201)
    expect(checker.requestFaults(path, 'post', body)).toEqual([])
  })
})

test.each([...openPaths])('%s matches the document in every state of the service', async (url) => {
  const replies = [await server.inject(url)]
  for (const next of ['draining', 'closing'] as const) {
    lifecycle.state = next
    replies.push(await server.inject(url))
  }
  readModel.beginBuilding()
  replies.push(await server.inject(url))
  for (const reply of replies) expect(replyFaults('get', url, reply)).toEqual([])
})

test('a stream of facts has the documented headers', async () => {
  const listening = await listeningService()
  const stream = await EventStream.open(listening.port)
  await stream.live()
  const { status, headers } = stream
  const exchange = { path: '/facts', method: 'get', status, headers, body: '' }
  expect(checker.replyFaults(exchange)).toEqual([])
  stream.cut()
  await listening.server.close()
})

test('no message of a refused read mentions storing', () => {
  const responses = JSON.stringify(servedDocument, (name, value: unknown) =>
    ['post', 'patch', 'put', 'delete'].includes(name) ? undefined : value,
  ).match(/`(?:read_model_behind|shutting_down|store_unavailable|rate_limited)`: [^"\\]*/g)
  expect(responses?.length).toBeGreaterThan(5)
  for (const text of responses ?? []) expect(text).not.toContain('stored')
})

describe('low-level faults match the document, whatever was requested', () => {
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
    ['/facts', 'get'],
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
