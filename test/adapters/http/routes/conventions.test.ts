import { METHODS } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { InjectOptions } from 'fastify'
import { z } from 'zod'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { checker, servedDocument } from '../../../support/served-document.js'

/** Tests conventions that hold for every operation of the document. */

const operationForm = z.object({
  security: z.array(z.object({ key: z.array(z.string()).optional() })),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.object({ required: z.boolean() }).optional(),
})
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), operationForm)) })
  .parse(servedDocument)

const scopes = ['read', 'write', 'segments', 'erase', 'webhooks'] as const

/** A key ring in which each scope has a key of its own name. */
const keyRing = {
  holderOf: (key: string) =>
    scopes
      .filter((scope) => scope === key)
      .map((scope) => ({ id: key, name: key, scopes: [scope] }))[0],
}

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path pattern in the document. */
  readonly path: string
  readonly url: string
  readonly needsKey: boolean
  readonly takesBody: boolean
  readonly needsBody: boolean
}

type AnyMethod = NonNullable<InjectOptions['method']>
const methodsOfNode = METHODS.filter(
  (method): method is Extract<AnyMethod, string> => method !== 'CONNECT',
)

const methodForm = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

const operations: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security, requestBody }]) => ({
    method: methodForm.parse(method.toUpperCase()),
    path,
    url: path
      .replaceAll('{external_id}', 'ada')
      .replaceAll('{key}', 'vip')
      .replaceAll('{erasure}', 'x'),
    needsKey: security.length > 0,
    takesBody: requestBody !== undefined,
    needsBody: requestBody?.required === true,
  })),
)

/** This route accepts a key with any scope. */
const anyScope = '/key'

function scopeOf({ method, path }: Operation): (typeof scopes)[number] {
  if (path.startsWith('/erasures')) return path.endsWith('/confirmations') ? 'read' : 'erase'
  if (path.startsWith('/webhooks')) return 'webhooks'
  const reads = ['/segments/evaluate', '/segments/preview']
  if (method === 'GET' || reads.includes(path)) return 'read'
  return path === '/segments/{key}' ? 'segments' : 'write'
}

let service: HttpService
beforeAll(() => {
  service = httpService({ keyRing })
})
afterAll(() => service.server.close())

async function send(operation: Operation, options: Omit<InjectOptions, 'method'>) {
  const { method, path, url } = operation
  const reply = await service.server.inject({ method, url, ...options })
  const { statusCode: status, headers, body } = reply
  const faults = checker.replyFaults({ path, method: method.toLowerCase(), status, headers, body })
  expect(faults).toEqual([])
  return reply
}

function withKey(operation: Operation, headers: Readonly<Record<string, string>> = {}) {
  return { authorization: `Bearer ${scopeOf(operation)}`, ...headers }
}

const json = { 'content-type': 'application/json' }
const keyed = operations.filter(({ needsKey }) => needsKey)
const named = (some: readonly Operation[]) =>
  some.map((operation) => [`${operation.method} ${operation.path}`, operation] as const)

test('the document has operations of every kind', () => {
  expect(operations.length).toBeGreaterThan(20)
  expect(keyed.length).toBeLessThan(operations.length)
  expect(new Set(keyed.map(scopeOf))).toEqual(new Set(scopes))
})

describe('an operation that needs a key', () => {
  test.each(named(keyed))('refuses a request without a key: %s', async (_name, operation) => {
    for (const headers of [
      {},
      { authorization: 'Bearer nobody' },
      { authorization: 'Basic eA==' },
    ]) {
      const reply = await send(operation, { headers })
      expect(expectFault(reply, 401, 'unauthenticated').message).toContain('data/first-key')
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    }
  })

  test.each(named(keyed))('refuses a key without the scope: %s', async (_name, operation) => {
    for (const scope of scopes) {
      const headers = { authorization: `Bearer ${scope}` }
      const { statusCode } = await service.server.inject({
        method: operation.method,
        url: operation.url,
        headers,
      })
      const isAllowed = operation.path === anyScope || scope === scopeOf(operation)
      expect([scope, statusCode === 403]).toEqual([scope, !isAllowed])
    }
  })
})

describe('an operation without a key', () => {
  test.each(named(operations.filter(({ needsKey }) => !needsKey)))(
    'answers: %s',
    async (_name, operation) => {
      expect((await send(operation, {})).statusCode).toBe(200)
    },
  )
})

describe('a path', () => {
  /** Returns all methods at a URL. A literal path and a path with a parameter may both match it. */
  const methodsAt = (url: string) =>
    Object.entries(paths)
      .filter(([path]) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url))
      .flatMap(([, methods]) => Object.keys(methods).map((method) => method.toUpperCase()))
  test.each(Object.keys(paths))(
    'refuses other methods, and lists its own in Allow: %s',
    async (path) => {
      const url = path.replaceAll('{external_id}', 'ada').replaceAll('{key}', 'vip')
      const own = methodsAt(url)
      const allowed = own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      for (const method of methodsOfNode.filter((one) => !allowed.includes(one))) {
        const reply = await service.server.inject({ method, url })
        expectFault(reply, 405, 'method_not_allowed')
        expect(String(reply.headers.allow).split(', ').sort()).toEqual(allowed.sort())
      }
    },
  )
})

/** Routes that ignore their query. */
const ignoresQuery = new Set(['POST /entities', 'POST /events'])

describe('a query', () => {
  const some = named(keyed).filter(([name]) => !ignoresQuery.has(name))
  test.each(some)(
    'with an unknown parameter is refused with its name: %s',
    async (_name, operation) => {
      const reply = await send(operation, {
        url: `${operation.url}?surprise=1`,
        headers: withKey(operation, operation.needsBody ? json : {}),
        ...(operation.needsBody ? { payload: '{}' } : {}),
      })
      expectFault(reply, 400, 'malformed_request')
      expect(reply.body).toContain('surprise')
    },
  )
})

describe('a body', () => {
  const taking = named(keyed.filter(({ takesBody }) => takesBody))
  test.each(taking)('with another content type is refused: %s', async (_name, operation) => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { ...json, 'content-encoding': 'gzip' },
    ]) {
      const reply = await send(operation, { headers: withKey(operation, headers), payload: '{}' })
      expectFault(reply, 415, 'unsupported_media_type')
    }
  })

  test.each(taking)('that is not JSON is refused: %s', async (_name, operation) => {
    for (const payload of ['{', '{"__proto__":1}', Buffer.from([0x22, 0xff, 0x22])]) {
      const reply = await send(operation, { headers: withKey(operation, json), payload })
      expectFault(reply, 400, 'malformed_json')
    }
  })

  test.each(taking)('above the limit is refused: %s', async (_name, operation) => {
    const payload = `{"surprise":"${'x'.repeat(4_194_304)}"}`
    const reply = await send(operation, { headers: withKey(operation, json), payload })
    expectFault(reply, 413, 'body_too_large')
  })
})

describe('a path parameter', () => {
  const wrong = [
    ['{key}', 'Not-A-Key'],
    ['{external_id}', '%00'],
  ] as const
  const cases = keyed.flatMap((operation) =>
    wrong
      .filter(([name]) => operation.path.includes(name))
      .map(
        ([name, value]) =>
          [`${operation.method} ${operation.path}: ${name}`, operation, name, value] as const,
      ),
  )
  test.each(cases)('that breaks a rule is named: %s', async (_title, operation, name, value) => {
    const url = operation.path
      .replaceAll(name, value)
      .replaceAll('{external_id}', 'ada')
      .replaceAll('{key}', 'vip')
    const reply = await send(operation, {
      url,
      headers: withKey(operation, operation.needsBody ? json : {}),
      ...(operation.needsBody ? { payload: '{}' } : {}),
    })
    expectFault(reply, 422, 'validation_failed')
    expect(reply.body).toContain(`"path":"/${name.slice(1, -1)}"`)
  })
})
