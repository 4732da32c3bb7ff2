import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { shownFault } from '../../../support/fault-expectation.js'
import { GatedStore } from '../../../support/gated-store.js'
import {
  bodyLimit as defaultLimit,
  hasty,
  listeningService,
  patient,
  type HttpService,
} from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPost, rawPostHead } from '../../../support/raw-request.js'

const ada = rawPost('/entities', '{"external_id":"ada"}')

/** Refused for want of a key, before its body breaks. */
const unknown = 'POST /events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'

let gate: GatedStore
let service: HttpService & { readonly port: number }
let connection: RawConnection
beforeEach(() => start(patient))
afterEach(stop)

async function start(waits: typeof patient, bodyLimit = defaultLimit): Promise<void> {
  const eventStore = (store: HttpService['store']) => {
    gate = new GatedStore(store)
    return gate
  }
  const listening = await listeningService({ eventStore, options: { patience: waits, bodyLimit } })
  service = listening
  connection = await RawConnection.open(listening.port)
}

async function stop(): Promise<void> {
  connection.cut()
  gate.letThrough()
  await service.server.close()
}

describe('what is wrong after a request is answered after that request', () => {
  test.each<[string, number, string]>([
    ['garbage', 400, 'nonsense\r\n\r\n'],
    ['CONNECT', 400, 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'],
    ['headers too large', 431, `GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}`],
    ['a broken body', 400, `${rawPostHead('/events', ['Transfer-Encoding: chunked'])}zz\r\n`],
  ])('%s', async (_what, status, bytes) => {
    const faulty = new Promise((resolve) => {
      service.server.server.once('clientError', resolve).once('connect', resolve)
    })
    connection.send(ada + bytes)
    await Promise.all([gate.reached, faulty])
    gate.letThrough()
    expect((await connection.reply()).status).toBe(201)
    const reply = await connection.reply()
    expect([reply.status, reply.headers['connection']]).toEqual([status, 'close'])
    expect(await connection.hungUp()).toBe('')
  })

  test('and once, however much garbage there is', async () => {
    const { server } = service.server
    const arrived = once(server, 'request')
    const waiting: number[] = []
    const twice = new Promise<void>((resolve) => {
      server.on('clientError', () => {
        void arrived.then(([, response]: ServerResponse[]) => {
          const listeners = response?.listenerCount('close') ?? 0
          if (waiting.push(listeners) === 2) resolve()
          else connection.send('more of it')
        })
      })
    })
    connection.send(`${ada}nonsense\r\n\r\n`)
    await twice
    gate.letThrough()
    expect((await connection.reply()).status).toBe(201)
    expect((await connection.reply()).status).toBe(400)
    expect(await connection.hungUp()).toBe('')
    expect(waiting[1]).toBe(waiting[0])
  })

  test('too late headers', async () => {
    await stop()
    await start(hasty)
    const late = new Promise((resolve) => service.server.server.once('clientError', resolve))
    connection.send(`${ada}GET / HTTP/1.1\r\nHo`)
    await Promise.all([gate.reached, late])
    gate.letThrough()
    expect((await connection.reply()).status).toBe(201)
    expect((await connection.reply()).status).toBe(408)
  })
})

test('garbage is answered too when its sender has ended its side', async () => {
  const faulty = once(service.server.server, 'clientError')
  connection.end(`${ada}nonsense\r\n\r\n`)
  await Promise.all([gate.reached, faulty])
  gate.letThrough()
  expect((await connection.reply()).status).toBe(201)
  expect((await connection.reply()).status).toBe(400)
  expect(await connection.hungUp()).toBe('')
})

test('a broken body of a request that has its refusal does not cost the reply before it', async () => {
  const faulty = once(service.server.server, 'clientError')
  connection.send(ada + unknown)
  await Promise.all([gate.reached, faulty])
  gate.letThrough()
  expect((await connection.reply()).status).toBe(201)
  expect((await connection.reply()).status).toBe(401)
  expect(await connection.hungUp()).toBe('')
})

test('nor does what its sender still sends cut that reply short', async () => {
  await stop()
  await start(patient, 1_048_576)
  const properties = { text: 'x'.repeat(250_000) }
  const large = rawPost('/entities', JSON.stringify({ external_id: 'ada', properties }))
  const faulty = once(service.server.server, 'clientError')
  connection.send(large + unknown)
  await Promise.all([gate.reached, faulty])
  // It has come, and nobody has read it when the replies leave.
  connection.send(Buffer.alloc(500_000, 'z'))
  gate.letThrough()
  const reply = await connection.reply()
  expect([reply.status, reply.body.length > 250_000]).toEqual([201, true])
  expect((await connection.reply()).status).toBe(401)
})

describe('a last reply whose request has a body that nobody reads', () => {
  const refused = [
    'POST /events HTTP/1.1',
    'Host: x',
    'Connection: close',
    'Content-Length: 3000000',
    '',
    '',
  ].join('\r\n')

  test('arrives, and those before it', async () => {
    const before = 12
    connection.send(rawGet('/openapi.json').repeat(before) + refused)
    connection.send(Buffer.alloc(1_000_000, 'x'))
    for (let n = 0; n < before; n += 1) expect((await connection.reply()).status).toBe(200)
    const reply = await connection.reply()
    expect([reply.status, reply.headers['connection']]).toEqual([401, 'close'])
    expect(await connection.hungUp()).toBe('')
  })

  test('is the last: what comes after it is no request', async () => {
    let requests = 0
    service.server.server.on('request', () => {
      requests += 1
    })
    const accepted = once(service.server.server, 'connection')
    const client = connect({ port: service.port, allowHalfOpen: true })
    const [socket] = (await accepted) as [Socket]
    const closed = once(socket, 'close')
    service.phase.phase = 'closing'
    client.write(ada)
    await once(client.resume(), 'end')
    client.end(ada)
    await closed
    expect(requests).toBe(1)
  })

  test('ends the connection, though the client keeps its side open', async () => {
    const accepted = once(service.server.server, 'connection')
    const client = connect({ port: service.port, allowHalfOpen: true })
    const [socket] = (await accepted) as [Socket]
    client.resume().write(refused)
    await once(socket, 'close')
    expect(client.writableEnded).toBe(false)
    client.destroy()
  })
})

describe('what comes behind a request whose reply ends the connection is not done, nor answered', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: h2c']
  const waiting = ['Host: other', 'Expect: 100-continue']
  test.each<[string, number, string]>([
    ['Connection: close', 201, rawPost('/entities', '{"external_id":"a"}', ['Connection: close'])],
    ['an Upgrade', 201, rawPost('/entities', '{"external_id":"a"}', upgrade)],
    [
      'a refusal before the body is sent',
      400,
      rawPost('/entities', '{"external_id":"a"}', waiting),
    ],
  ])('%s', async (_what, status, bytes) => {
    gate.letThrough()
    connection.send(bytes + ada + ada)
    const reply = await connection.reply()
    expect([reply.status, reply.headers['connection']]).toEqual([status, 'close'])
    expect(await connection.hungUp()).toBe('')
    expect(service.store.read('entity-ada')).toEqual([])
  })

  test('an Upgrade, with what comes in another packet', async () => {
    connection.send(rawPost('/entities', '{"external_id":"a"}', upgrade))
    await gate.reached
    const second = once(service.server.server, 'request')
    connection.send(ada)
    await second
    gate.letThrough()
    expect((await connection.reply()).status).toBe(201)
    expect(await connection.hungUp()).toBe('')
    expect(service.store.read('entity-ada')).toEqual([])
  })
})

test('a refused body that never ends gets one answer, and then the connection ends', async () => {
  await stop()
  await start(hasty)
  connection.send(rawPostHead('/entities', ['Content-Length: 1000000']))
  const reply = await connection.reply()
  expect([reply.status, shownFault(reply.body).code]).toEqual([413, 'body_too_large'])
  expect(await connection.hungUp()).toBe('')
})
