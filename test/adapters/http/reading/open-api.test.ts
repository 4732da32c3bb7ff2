import { afterEach, describe, expect, test } from '@jest/globals'
import type { LightMyRequestResponse } from 'fastify'
import { openApiDocument } from '../../../../src/adapters/http/routes/open-api.js'
import { readResources, resources } from '../../../../src/adapters/http/routes/resources.js'
import { TooManyFacts } from '../../../../src/application/reading/errors.js'
import { EventStream } from '../../../support/event-stream.js'
import { get } from '../../../support/get.js'
import {
  httpService,
  listeningService,
  type HttpService,
  type ServiceParts,
} from '../../../support/http-service.js'
import { OpenApiChecker } from '../../../support/open-api-checker.js'
import { patch, post } from '../../../support/post.js'

const document = openApiDocument([...resources, ...readResources], '0.0.0')
const checker = new OpenApiChecker(document)

let service: HttpService
afterEach(() => service.server.close())

async function serve(parts: ServiceParts = {}): Promise<HttpService> {
  service = httpService(parts)
  for (const id of ['ada', 'eve']) {
    await post(service.server, '/entities', { external_id: id, properties: { a: [null] } })
    await post(service.server, '/events', { entity_external_id: id, name: 'login' })
    await patch(service.server, id, { set: { b: 1 }, unset: ['c'] })
    await post(service.server, '/events', { entity_external_id: id, name: 'login' })
  }
  return service
}

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
    const { server } = await serve()
    expectListed(path, 200, await get(server, url + query))
  })

  test('and so it refuses', async () => {
    const { server, readModel, lifecycle } = await serve()
    expectListed(path, 400, await get(server, `${url}?x=1`))
    expectListed(path, 401, await get(server, url, { authorization: '' }))
    expectListed(path, 412, await get(server, url, { position: '99' }))
    if (url.includes('ada')) {
      expectListed(path, 404, await get(server, url.replace('ada', 'nobody')))
      expectListed(path, 422, await get(server, url.replace('ada', '%20')))
    }
    readModel.beginBuilding()
    expectListed(path, 503, await get(server, url))
    readModel.ask = () => Promise.reject(new TypeError('x'))
    expectListed(path, 500, await get(server, url))
    lifecycle.state = 'closing'
    expectListed(path, 503, await get(server, url))
  })

  test('also who may not, or asks too often', async () => {
    const writer = { id: 'w', name: 'writer', scopes: ['write'] as const }
    const forbidden = httpService({ keyRing: { holderOf: () => writer } })
    expectListed(path, 403, await get(forbidden.server, url))
    await forbidden.server.close()
    const limited = httpService({ rateLimit: { take: () => Promise.resolve(3) } })
    service = limited
    expectListed(path, 429, await get(limited.server, url))
  })
})

test('a profile of too many facts or of the future', async () => {
  const { server, readModel } = await serve()
  const path = '/entities/{external_id}'
  expectListed(path, 422, await get(server, '/entities/ada?as_of=2999-01-01T00:00:00Z'))
  readModel.ask = () => Promise.reject(new TooManyFacts('x'))
  expectListed(path, 422, await get(server, `/entities/ada?as_of=${now}`))
})

test('whether reads are answered', async () => {
  const { server, readModel } = await serve()
  const path = '/health/ready/reads'
  expectListed(path, 200, await server.inject(path))
  readModel.beginBuilding()
  expectListed(path, 503, await server.inject(path))
})

test('a stream of facts has the headers of the document', async () => {
  const listening = await listeningService()
  service = listening
  const stream = await EventStream.open(listening.port)
  await stream.live()
  const { status, headers } = stream
  const exchange = { path: '/facts', method: 'get', status, headers, body: '' }
  expect(checker.replyFaults(exchange)).toEqual([])
  stream.cut()
})

test('no text of a 503 that a read gets speaks of storing', () => {
  const responses = JSON.stringify(document, (name, value: unknown) =>
    ['post', 'patch', 'put', 'delete'].includes(name) ? undefined : value,
  ).match(/`(?:read_model_behind|shutting_down|store_unavailable|rate_limited)`: [^"\\]*/g)
  expect(responses?.length).toBeGreaterThan(5)
  for (const text of responses ?? []) expect(text).not.toContain('stored')
})
