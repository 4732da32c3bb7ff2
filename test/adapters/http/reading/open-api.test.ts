import { beforeEach, describe, expect, test } from '@jest/globals'
import type { LightMyRequestResponse } from 'fastify'
import { openApiDocument } from '../../../../src/adapters/http/routes/open-api.js'
import { readRoutes, routes } from '../../../../src/adapters/http/routes/routes.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { EventStream } from '../../../support/event-stream.js'
import { get } from '../../../support/get.js'
import { listeningService } from '../../../support/http-service.js'
import { OpenApiChecker } from '../../../support/open-api-checker.js'
import { patch, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const document = openApiDocument([...routes, ...readRoutes], '0.0.0')
const checker = new OpenApiChecker(document)

const { server, readModel, lifecycle } = sharedHttpService()
const limited = sharedHttpService({ rateLimit: { take: () => Promise.resolve(3) } })
const forbidden = sharedHttpService({
  keyRing: { holderOf: () => ({ id: 'w', name: 'writer', scopes: ['write'] }) },
})

beforeEach(async () => {
  for (const id of ['ada', 'eve']) {
    await post(server, '/entities', { external_id: id, properties: { a: [null] } })
    await post(server, '/events', { entity_external_id: id, name: 'login' })
    await patch(server, id, { set: { b: 1 }, unset: ['c'] })
    await post(server, '/events', { entity_external_id: id, name: 'login' })
  }
})

const now = '2026-11-20T09:30:00Z'

/** A URL of each operation, and whether it is about an entity. */
const operations = [
  ['/entities/{external_id}', '/entities/ada', ''],
  ['/entities/{external_id}', '/entities/ada', `?as_of=${now}`],
  ['/entities', '/entities', ''],
  ['/entities', '/entities', '?limit=1'],
  ['/entities/{external_id}/events', '/entities/ada/events', ''],
  ['/entities/{external_id}/events', '/entities/ada/events', '?limit=1'],
  ['/entities/{external_id}/history', '/entities/ada/history', ''],
  ['/entities/{external_id}/history', '/entities/ada/history', '?limit=1'],
  ['/facts', '/facts', ''],
  ['/facts', '/facts', '?limit=1'],
] as const

function expectListed(path: string, status: number, reply: LightMyRequestResponse): void {
  const { statusCode, headers, body } = reply
  expect(statusCode).toBe(status)
  const exchange = { path, method: 'get', status, headers, body }
  expect(checker.replyFaults(exchange)).toEqual([])
}

describe.each(operations)('%s as %s%s', (path, url, query) => {
  test('answers in the form of the document', async () => {
    expectListed(path, 200, await get(server, url + query))
  })

  test('and so it refuses', async () => {
    expectListed(path, 400, await get(server, `${url}?x=1`))
    expectListed(path, 401, await get(server, url, { authorization: '' }))
    expectListed(path, 412, await get(server, url, { position: '99' }))
    if (url.includes('ada')) {
      expectListed(path, 404, await get(server, url.replace('ada', 'nobody')))
      expectListed(path, 422, await get(server, url.replace('ada', '%20')))
    }
    readModel.beginBuilding()
    expectListed(path, 503, await get(server, url))
    readModel.failure = new TypeError('x')
    expectListed(path, 500, await get(server, url))
    lifecycle.state = 'closing'
    expectListed(path, 503, await get(server, url))
  })

  test('also who may not, or asks too often', async () => {
    expectListed(path, 403, await get(forbidden.server, url))
    expectListed(path, 429, await get(limited.server, url))
  })
})

test('a profile of too many facts or of the future', async () => {
  const path = '/entities/{external_id}'
  expectListed(path, 422, await get(server, '/entities/ada?as_of=2999-01-01T00:00:00Z'))
  readModel.failure = new Refusal('too_many_facts', 'x')
  expectListed(path, 422, await get(server, `/entities/ada?as_of=${now}`))
})

test('whether reads are answered', async () => {
  const path = '/health/ready/reads'
  expectListed(path, 200, await server.inject(path))
  readModel.beginBuilding()
  expectListed(path, 503, await server.inject(path))
})

test('a stream of facts has the headers of the document', async () => {
  const listening = await listeningService()
  const stream = await EventStream.open(listening.port)
  await stream.live()
  const { status, headers } = stream
  const exchange = { path: '/facts', method: 'get', status, headers, body: '' }
  expect(checker.replyFaults(exchange)).toEqual([])
  stream.cut()
  await listening.server.close()
})

test('no text of a 503 that a read gets speaks of storing', () => {
  const responses = JSON.stringify(document, (name, value: unknown) =>
    ['post', 'patch', 'put', 'delete'].includes(name) ? undefined : value,
  ).match(/`(?:read_model_behind|shutting_down|store_unavailable|rate_limited)`: [^"\\]*/g)
  expect(responses?.length).toBeGreaterThan(5)
  for (const text of responses ?? []) expect(text).not.toContain('stored')
})
