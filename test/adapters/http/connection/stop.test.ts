import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { connect } from 'node:net'
import { once } from 'node:events'
import { shownFault } from '../../../support/fault-expectation.js'
import { GatedStore } from '../../../support/gated-store.js'
import { listeningService } from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPost } from '../../../support/raw-request.js'

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

describe('while the service leaves', () => {
  beforeEach(() => {
    service.phase.phase = 'leaving'
    gate.letThrough()
  })

  test('it is not ready, but lives', async () => {
    first.send(rawGet('/health/ready') + rawGet('/health/live'))
    const ready = await first.reply()
    expect([ready.status, shownFault(ready.body).code]).toEqual([503, 'shutting_down'])
    expect(ready.headers).toMatchObject({ 'retry-after': '1' })
    expect(ready.headers['connection']).not.toBe('close')
    expect((await first.reply()).status).toBe(200)
    expect(service.log.lines).toEqual([])
  })

  test('it still serves', async () => {
    first.send(ada)
    expect((await first.reply()).status).toBe(201)
  })
})

test('nobody waits for requests in turn on a connection that is gone', async () => {
  first.send(ada + rawGet('/health/live') + rawGet('/health/live'))
  await gate.reached
  expect(service.drain.unanswered).toBe(3)
  first.reset()
  await service.drain.close()
  expect(service.drain.unanswered).toBe(0)
})

test('requests in turn on one connection are all answered, and the last reply ends it', async () => {
  const names = ['ada', 'bob', 'cyd']
  first.send(names.map((name) => rawPost('/entities', `{"external_id":"${name}"}`)).join(''))
  await gate.reached
  // All three are under way when the answer to this one has come.
  second.send(rawGet('/health/live'))
  await second.reply()
  const closed = service.drain.close()
  gate.letThrough()
  const replies = [await first.reply(), await first.reply(), await first.reply()]
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(replies.map(({ headers }) => headers['connection'] === 'close')).toEqual([
    false,
    false,
    true,
  ])
  expect(await first.hungUp()).toBe('')
  await closed
  expect(names.map((name) => service.store.read(`entity-${name}`).length)).toEqual([1, 1, 1])
})

describe('while the service closes', () => {
  let closed: Promise<void>
  beforeEach(async () => {
    first.send(ada)
    await gate.reached
    closed = service.drain.close()
  })

  test.each<[string, string]>([
    ['a write', rawPost('/events', '{"entity_external_id":"ada","name":"x"}')],
    ['a write without a key', 'POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'],
    ['what is not there', rawGet('/nothing')],
    ['another method', rawGet('/entities')],
    ['readiness', rawGet('/health/ready')],
    ['the document', rawGet('/openapi.json')],
    ['a request without a Host', 'GET / HTTP/1.1\r\n\r\n'],
  ])('%s over a connection that was kept is sent elsewhere', async (_what, request) => {
    second.send(request)
    const reply = await second.reply()
    expect([reply.status, shownFault(reply.body).code]).toEqual([503, 'shutting_down'])
    expect(reply.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
    expect(reply.headers['request-id']).toBe(shownFault(reply.body).request_id)
    expect(await second.hungUp()).toBe('')
  })

  test.each(['/health/live', '/health/live?x', 'http://x/health/live'])(
    '%s says that it lives',
    async (url) => {
      second.send(rawGet(url))
      expect(await second.reply()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    },
  )

  test('nobody can connect', async () => {
    const [error] = (await once(connect({ port: service.port, host: '127.0.0.1' }), 'error')) as [
      NodeJS.ErrnoException,
    ]
    expect(error.code).toBe('ECONNREFUSED')
  })

  test('what is in flight is stored and answered, and then all connections end', async () => {
    expect(service.drain.unanswered).toBe(1)
    gate.letThrough()
    expect((await first.reply()).status).toBe(201)
    expect(await Promise.all([first.hungUp(), second.hungUp()])).toEqual(['', ''])
    await closed
    expect(service.drain.unanswered).toBe(0)
    expect(service.store.read('entity-ada')).toHaveLength(1)
  })

  test('who hangs up is not waited for', async () => {
    first.reset()
    await closed
    expect(service.drain.unanswered).toBe(0)
  })
})

test('replies that wait behind another are forgotten with their connection', async () => {
  const write = rawPost('/entities', '{"external_id":"eve"}')
  let more = 0
  const arrived = new Promise<void>((resolve) => {
    service.server.server.on('request', () => {
      if ((more += 1) === 3) resolve()
    })
  })
  second.send(write + write + write)
  await arrived
  expect(service.drain.unanswered).toBe(3)
  second.reset()
  await service.drain.close()
  expect(service.drain.unanswered).toBe(0)
}, 10_000)

test('a service without requests closes at once', async () => {
  await service.drain.close()
  expect(await Promise.all([first.hungUp(), second.hungUp()])).toEqual(['', ''])
})
