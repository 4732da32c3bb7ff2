import { beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { get } from '../../../support/get.js'
import { httpService } from '../../../support/http-service.js'
import { post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const service = sharedHttpService()
beforeEach(async () => {
  await post(service.server, '/entities', { external_id: 'ada' })
})

async function refused(url: string) {
  const reply = await get(service.server, url)
  expect(reply.headers['position']).toBe('1')
  return expectFault(reply, 400, 'malformed_request').message
}

describe('a read refuses a query with', () => {
  test.each(['x', '=1', '__proto__=1', 'constructor=1', 'limit%00=1', '%F0%9F%A6%8A=1'])(
    'an unknown parameter: %s',
    async (query) => {
      const name = decodeURIComponent(query.split('=')[0] ?? '')
      expect(await refused(`/entities?${query}`)).toContain(JSON.stringify(name))
    },
  )

  test.each(['%ff=1', 'x=1&%zz=2', '%=1'])('a badly encoded name: %s', async (query) => {
    const reply = await get(service.server, `/entities?${query}`)
    expectFault(reply, 400, 'malformed_request')
  })

  test('a name that is too long to repeat in the message', async () => {
    expect(await refused(`/entities?${'x'.repeat(300)}=1`)).not.toContain('xxx')
  })
})

describe('a malformed or repeated parameter is named, without its value', () => {
  test.each([
    ...['0', '-1', '1001', '1e2', '١', '', ' 1', '1.5', '9999999999'].map((value) => [
      '/facts',
      'limit',
      value,
    ]),
    ['/entities', 'entity_id', 'SECRET'],
    ['/entities', 'entity_id', ''],
    ['/entities', 'entity_id', '00000000-0000-0000-0000-00000000000g'],
    ['/entities/ada/events', 'by', 'SECRET'],
    ['/entities/ada/events', 'by', ''],
    ['/entities/ada/events', 'by', 'Recorded'],
    ['/entities/ada/events', 'order', 'up'],
    ['/entities/ada/events', 'name', ''],
    ['/entities/ada/events', 'name', ' SECRET'],
    ['/entities/ada/events', 'name', 'x'.repeat(256)],
    ['/entities/ada/events', 'since', 'SECRET'],
    ['/entities/ada/events', 'until', '1700000000'],
    ['/entities/ada/events', 'since', '2026-11-20T09:30:00'],
  ] as [string, string, string][])('%s: %s=%s', async (path, name, value) => {
    const message = await refused(`${path}?${name}=${encodeURIComponent(value)}`)
    expect(message).toContain(`"${name}"`)
    expect(message).not.toContain('SECRET')
  })

  test.each([
    ['/entities', 'limit=1&limit=1', 'limit'],
    ['/entities/ada', 'as_of=2026-01-01T00:00:00Z&as_of=2026-01-01T00:00:00Z', 'as_of'],
    ['/entities/ada/events', 'name=a&n%61me=b', 'name'],
    ['/entities/ada/history', 'cursor=a&limit=1&cursor=a', 'cursor'],
    ['/entities/ada/events', 'name=%ff', 'name'],
    ['/entities', 'limit=%', 'limit'],
  ])('%s?%s', async (path, query, name) => {
    expect(await refused(`${path}?${query}`)).toContain(`"${name}"`)
  })
})

test('an unknown parameter names the parameter that it misspells', async () => {
  const reply = await get(service.server, '/entities/ada/events?limt=2')
  expect(expectFault(reply, 400, 'malformed_request').message).toBe(
    'The parameter "limt" is unknown; did you mean limit?',
  )
})

test('a wrong type of fact is told the types that the feed has', async () => {
  const reply = await get(service.server, '/facts?types=FactErased')
  const { message } = expectFault(reply, 400, 'malformed_request')
  expect(message).toMatch(/^The parameter "types" must be some of EntityCreated, .*EntityErased/)
  expect(message).not.toContain('FactErased')
})

test('every wrong parameter has a detail, and the message names the first', async () => {
  const query = 'surprise=1&limit=0&since=SECRET&order=up&name=%ff&limit=2'
  const reply = await get(service.server, `/entities/ada/events?${query}`)
  expect(expectFault(reply, 400, 'malformed_request')).toMatchObject({
    message: 'The parameter "surprise" is unknown: leave it out.',
    details: [
      { path: '/surprise', code: 'unknown_field' },
      { path: '/name', code: 'ill_formed' },
      { path: '/limit', code: 'too_many' },
    ],
  })
  const known = await get(service.server, '/entities/ada/events?limit=0&since=SECRET&order=up')
  expect(expectFault(known, 400, 'malformed_request')).toMatchObject({
    message: 'The parameter "order" must be "desc" or "asc".',
    details: [
      { path: '/order', code: 'wrong_type' },
      { path: '/since', code: 'not_a_time' },
      { path: '/limit', code: 'number_out_of_range' },
    ],
  })
})

test('there are at most 100 details', async () => {
  const query = Array.from({ length: 200 }, (_, at) => `x${String(at)}=1`).join('&')
  const reply = await get(service.server, `/entities?${query}`)
  expect(expectFault(reply, 400, 'malformed_request').details).toHaveLength(100)
})

test('empty parts between separators are ignored', async () => {
  for (const query of ['', '&', '&&limit=1&']) {
    expect((await get(service.server, `/entities?${query}`)).statusCode).toBe(200)
  }
})

test('a read without a valid key, or above its rate limit, is refused before its query is checked', async () => {
  const url = '/entities/%20?x=1'
  const stranger = await get(service.server, url, { authorization: 'Bearer unknown' })
  expectFault(stranger, 401, 'unauthenticated')
  expect(stranger.headers['position']).toBeUndefined()
  const limited = httpService({ rateLimit: { take: () => Promise.resolve(7) } })
  const reply = await get(limited.server, url)
  expect(expectFault(reply, 429, 'rate_limited').message).not.toContain('stored')
  expect(reply.headers['retry-after']).toBe('7')
  await limited.server.close()
  expectFault(await get(service.server, url), 400, 'malformed_request')
  expectFault(await get(service.server, '/entities/%20'), 422, 'validation_failed')
})

describe('a process without a read model', () => {
  const writer = sharedHttpService({ reads: false })

  test.each([
    '/entities/ada',
    '/entities?starts_with=a',
    '/entities?property=/email&is=a',
    '/facts',
    '/entities/%20?x=1',
    '/health/ready/reads',
  ])('has no route %s', async (url) => {
    for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const reply = await writer.server.inject({ method, url, headers })
        expect(reply.statusCode).toBe(404)
        if (method === 'GET') expectFault(reply, 404, 'route_not_found')
      }
    }
  })

  test.each([
    ['/entities', 'POST'],
    ['/entities/ada', 'PATCH'],
    ['/entities/ada/events', undefined],
    ['/facts', undefined],
  ])(
    'does not list reads in Allow when %s is requested with another method',
    async (url, allow) => {
      const reply = await writer.server.inject({ method: 'DELETE', url })
      expect([reply.statusCode, reply.headers.allow]).toEqual([
        allow === undefined ? 404 : 405,
        allow,
      ])
    },
  )

  test('does not document reads, and accepts writes', async () => {
    const { paths } = (await writer.server.inject('/openapi.json')).json<{
      paths: Record<string, object>
    }>()
    expect(Object.keys(paths['/entities'] ?? {})).toEqual(['post'])
    expect(paths['/facts']).toBeUndefined()
    const reply = await post(writer.server, '/entities', { external_id: 'ada' })
    expect(reply.statusCode).toBe(201)
  })
})
