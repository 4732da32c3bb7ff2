import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { shownFault } from '../../../support/fault-expectation.js'
import { GatedStore } from '../../../support/gated-store.js'
import { listeningService } from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPost, rawPostHead } from '../../../support/raw-request.js'

const ada = rawPost('/entities', '{"external_id":"ada"}')

let gate: GatedStore
let service: Awaited<ReturnType<typeof listeningService>>
let first: RawConnection
let second: RawConnection
beforeEach(async () => {
  service = await listeningService({
    eventStore: (store) => {
      gate = new GatedStore(store)
      return gate
    },
  })
  first = await RawConnection.open(service.port)
  second = await RawConnection.open(service.port)
})
afterEach(async () => {
  gate.letThrough()
  first.cut()
  second.cut()
  await service.server.close()
})

describe('while the service drains', () => {
  beforeEach(() => {
    service.lifecycle.state = 'draining'
    gate.letThrough()
  })

  test('the service is not ready, but live', async () => {
    first.send(rawGet('/health/ready'))
    const ready = await first.reply()
    expect([ready.status, shownFault(ready.body).code]).toEqual([503, 'shutting_down'])
    expect(ready.headers).toMatchObject({ 'retry-after': '1' })
    expect(ready.headers['connection']).not.toBe('close')
    first.send(rawGet('/health/live'))
    expect((await first.reply()).status).toBe(200)
    expect(service.log.lines).toEqual([])
  })

  test('readiness gives the reason when the store is lost', async () => {
    service.lifecycle.storeLost = 'dossier.db was removed'
    for (const state of ['draining', 'closing'] as const) {
      service.lifecycle.state = state
      first.send(rawGet('/health/ready'))
      const ready = await first.reply()
      expect(ready.status).toBe(503)
      expect(shownFault(ready.body)).toMatchObject({
        code: 'store_unavailable',
        message: 'This process has lost its store and is exiting: dossier.db was removed.',
      })
    }
  })

  test('the service still answers requests', async () => {
    first.send(ada)
    expect((await first.reply()).status).toBe(201)
  })
})

describe('while the service closes', () => {
  let closed: Promise<void>
  beforeEach(async () => {
    // This kept-alive connection is now idle.
    second.send(rawGet('/health/live'))
    await second.reply()
    first.send(ada)
    await gate.reached
    closed = service.lifecycle.close(service.server)
  })

  test.each<[string, string]>([
    ['a write', rawPost('/events', '{"entity_external_id":"ada","name":"x"}')],
    ['a write without a key', 'POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'],
    ['an unknown path', rawGet('/nothing')],
    ['a wrong method', rawGet('/entities')],
    ['readiness', rawGet('/health/ready')],
    ['the document', rawGet('/openapi.json')],
    ['a request without a Host', 'GET / HTTP/1.1\r\n\r\n'],
  ])('%s over a kept-alive connection is refused', async (_what, request) => {
    second.send(request)
    const reply = await second.reply()
    expect([reply.status, shownFault(reply.body).code]).toEqual([503, 'shutting_down'])
    expect(reply.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
    expect(reply.headers['request-id']).toBe(shownFault(reply.body).request_id)
    expect(await second.hungUp()).toBe('')
  })

  test.each(['/health/live', '/health/live?x', 'http://x/health/live', '/metrics'])(
    '%s is answered',
    async (url) => {
      second.send(rawGet(url))
      expect(await second.reply()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    },
  )

  test('no new connection is accepted', async () => {
    const [error] = (await once(connect({ port: service.port, host: '127.0.0.1' }), 'error')) as [
      NodeJS.ErrnoException,
    ]
    expect(error.code).toBe('ECONNREFUSED')
  })

  test('requests in flight are stored and answered, and then all connections end', async () => {
    expect(service.lifecycle.unanswered).toBe(1)
    gate.letThrough()
    expect(await first.reply()).toMatchObject({ status: 201, headers: { connection: 'close' } })
    expect(await Promise.all([first.hungUp(), second.hungUp()])).toEqual(['', ''])
    await closed
    expect(service.lifecycle.unanswered).toBe(0)
    expect(service.store.read('entity-ada')).toHaveLength(1)
  })

  test('the service waits for a request in flight whose client has disconnected', async () => {
    first.reset()
    gate.letThrough()
    await closed
    expect(service.lifecycle.unanswered).toBe(0)
    expect(service.store.read('entity-ada')).toHaveLength(1)
  })
})

test('a body that is arriving is read completely, and its request is answered', async () => {
  const body = '{"external_id":"eve"}'
  const arrived = once(service.server.server, 'request')
  gate.letThrough()
  first.send(rawPostHead('/entities', [`Content-Length: ${String(body.length)}`]))
  await arrived
  const closed = service.lifecycle.close(service.server)
  first.send(body)
  expect(await first.reply()).toMatchObject({ status: 201, headers: { connection: 'close' } })
  await closed
})

test('the service does not wait for a client that disconnected in the middle of its body', async () => {
  const arrived = once(service.server.server, 'request')
  first.send(`${rawPostHead('/entities', ['Content-Length: 100'])}{`)
  await arrived
  const closed = service.lifecycle.close(service.server)
  first.reset()
  await closed
  expect(service.lifecycle.unanswered).toBe(0)
})

test('a service without requests closes immediately, including connections that were never used', async () => {
  await service.lifecycle.close(service.server)
  expect(await Promise.all([first.hungUp(), second.hungUp()])).toEqual(['', ''])
})
