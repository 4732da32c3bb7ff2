import { urlOf } from '../../../src/adapters/http/routes/route.js'
import { readRoutes, routes } from '../../../src/adapters/http/routes/routes.js'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Refusal } from '../../../src/application/ports/refusal.js'
import { GatedStore } from '../../support/gated-store.js'
import {
  listeningService,
  longTimeouts,
  metrics,
  shortTimeouts,
} from '../../support/http-service.js'
import { RawConnection } from '../../support/raw-connection.js'
import { rawGet, rawPost, rawPostHead } from '../../support/raw-request.js'

let told: string[]
let took: number[]
let asked: string[]
let service: Awaited<ReturnType<typeof listeningService>>
let connection: RawConnection

const observer = {
  route: (method: string, route: string) => {
    asked.push(`${method} ${route}`)
    return (status: number, seconds: number) => {
      told.push(`${method} ${route} ${String(status)}`)
      took.push(seconds)
    }
  },
  fault: (code: string) => void told.push(code),
  feedReaders: () => undefined,
}

beforeEach(async () => {
  told = []
  took = []
  asked = []
  await start(longTimeouts)
})
afterEach(stop)

async function start(timeouts: typeof longTimeouts): Promise<void> {
  service = await listeningService({
    observer,
    options: { timeouts },
    eventStore: (store) => ({
      append: (append) =>
        append.stream === 'entity-lost'
          ? Promise.reject(new Refusal('outcome_unknown', 'x'))
          : store.append(append),
    }),
  })
  connection = await RawConnection.open(service.port)
}

async function stop(): Promise<void> {
  connection.cut()
  await service.server.close()
}

const entity = (id: string) => rawPost('/entities', JSON.stringify({ external_id: id }))

test('the observer is called once for each route, and for nothing else', () => {
  const declared = [...routes, ...readRoutes].flatMap((route) => {
    const url = urlOf(route.path)
    return route.method === 'get'
      ? [`GET ${url}`, `HEAD ${url}`]
      : [`${route.method.toUpperCase()} ${url}`]
  })
  expect(asked.filter((one) => !one.includes(' /v1/')).sort()).toEqual(
    [...declared, 'GET /', 'HEAD /', 'none none'].sort(),
  )
})

test.each<[string, readonly string[], string]>([
  ['a stored write', ['POST /entities 201'], entity('ada')],
  ['a refused body', ['validation_failed', 'POST /entities 422'], rawPost('/entities', '{}')],
  ['no JSON', ['malformed_json', 'POST /events 400'], rawPost('/events', '{')],
  ['an unknown outcome', ['outcome_unknown', 'POST /entities 504'], entity('lost')],
  ['a health check', ['GET /health/live 200'], rawGet('/health/live?from=me')],
  ['an unknown path', ['route_not_found', 'none none 404'], rawGet('/of/a/client')],
  ['a wrong method', ['method_not_allowed', 'none none 405'], rawGet('/events')],
  ['a URL that cannot be decoded', ['malformed_request', 'none none 400'], rawGet('/%zz')],
  ['no HTTP', ['malformed_request', 'none none 400'], 'nonsense\r\n\r\n'],
])('%s is reported once: %j', async (_what, expected, bytes) => {
  connection.send(bytes)
  await connection.reply()
  expect(told).toEqual(expected)
})

test('the seconds between headers and reply are reported', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(4_000)
  const gate = new GatedStore(service.store)
  const slow = await listeningService({ observer, eventStore: () => gate })
  const waiting = await RawConnection.open(slow.port)
  waiting.send(entity('ada'))
  await gate.reached
  now.mockReturnValue(6_500)
  gate.letThrough()
  expect((await waiting.reply()).status).toBe(201)
  expect(took).toEqual([2.5])
  now.mockRestore()
  waiting.cut()
  await slow.server.close()
})

test('a HEAD request is reported as HEAD', async () => {
  connection.send(rawGet('/metrics').replace('GET', 'HEAD'))
  const reply = await connection.reply({ toHead: true })
  expect(reply.headers['content-type']).toBe(metrics.contentType)
  expect(told).toEqual(['HEAD /metrics 200'])
})

test('a body that never ends is reported once, at its timeout', async () => {
  await stop()
  asked = []
  await start(shortTimeouts)
  connection.send(rawPostHead('/entities', ['Content-Length: 10']))
  expect((await connection.reply()).status).toBe(408)
  await connection.hungUp()
  expect(told).toEqual(['request_timeout', 'none none 408'])
})

test('a service that closes still serves its metrics', async () => {
  service.lifecycle.state = 'closing'
  connection.send(rawGet('/metrics'))
  expect(await connection.reply()).toMatchObject({ status: 200, body: await metrics.text() })
})
