import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { GatedStore } from '../../../support/gated-store.js'
import { listeningService, patient, type HttpService } from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPost } from '../../../support/raw-request.js'

let gate: GatedStore
let service: HttpService
let connection: RawConnection
/** The service's end of the connection. */
let socket: Socket
beforeEach(async () => {
  const listening = await listeningService({
    eventStore: (store) => {
      gate = new GatedStore(store)
      return gate
    },
    options: { patience: { ...patient, replyMs: 300 } },
  })
  service = listening
  const accepted = once(listening.server.server, 'connection')
  connection = await RawConnection.open(listening.port)
  ;[socket] = (await accepted) as [Socket]
})

afterEach(async () => {
  connection.cut()
  gate.letThrough()
  await service.server.close()
})

/** More than the buffers between hold. */
const farMore = rawGet('/openapi.json').repeat(2_000)

test('a client that asks and does not read is hung up on', async () => {
  connection.stopReading()
  const closed = once(socket, 'close')
  connection.send(farMore)
  await closed
  expect(service.drain.unanswered).toBe(0)
})

test('a client that waits for the store is not, however long the store takes', async () => {
  const timedOut = once(socket, 'timeout')
  connection.send(rawPost('/entities', '{"external_id":"ada"}'))
  await Promise.all([gate.reached, timedOut])
  gate.letThrough()
  expect((await connection.reply()).status).toBe(201)
  expect(socket.destroyed).toBe(false)
})

test('and is hung up on when it does not read then', async () => {
  const timedOut = once(socket, 'timeout')
  connection.send(rawPost('/entities', '{"external_id":"ada"}'))
  await Promise.all([gate.reached, timedOut])
  expect(socket.destroyed).toBe(false)
  connection.stopReading()
  const closed = once(socket, 'close')
  connection.send(farMore)
  gate.letThrough()
  await closed
})

test('a client that does not read the last replies of its connection is hung up on', async () => {
  connection.stopReading()
  const closed = once(socket, 'close')
  connection.send(farMore + rawGet('/openapi.json', ['Connection: close']))
  await closed
})

test('a client between two requests is not', async () => {
  for (const path of ['/health/live', '/openapi.json']) {
    connection.send(rawGet(path))
    expect((await connection.reply()).status).toBe(200)
    expect(socket.timeout).toBeGreaterThanOrEqual(patient.idleMs)
  }
})
