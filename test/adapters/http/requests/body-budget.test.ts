import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { create, postBatch } from '../../../support/batch.js'
import { shownFault } from '../../../support/fault-expectation.js'
import { GatedStore } from '../../../support/gated-store.js'
import { listeningService, longTimeouts, trackKey } from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawPost, rawPostHead } from '../../../support/raw-request.js'

const budget = 40_000
const beyondBatches = 4_194_305

let service: Awaited<ReturnType<typeof listeningService>>
let gate: GatedStore
let opened: RawConnection[]
/** The server's sockets, in the order of connecting. */
let sockets: Socket[]
beforeEach(async () => {
  opened = []
  sockets = []
  service = await listeningService({
    options: { batchBytes: budget, timeouts: longTimeouts },
    eventStore: (store) => (gate = new GatedStore(store)),
  })
  service.server.server.on('connection', (socket: Socket) => sockets.push(socket))
})
afterEach(async () => {
  gate.letThrough()
  for (const connection of opened) connection.cut()
  await service.server.close()
})

async function connect(): Promise<RawConnection> {
  const connection = await RawConnection.open(service.port)
  opened.push(connection)
  return connection
}

let made = 0
/** Returns a batch of about `bytes` that creates one entity. */
function batch(bytes: number): string {
  const id = `e${String((made += 1))}`
  return JSON.stringify({ items: [create(id, { properties: { a: 'x'.repeat(bytes) } })] })
}

async function reply(bytes: string, connection?: RawConnection): Promise<number> {
  const one = connection ?? (await connect())
  one.send(bytes)
  return (await one.reply()).status
}

/** Sends a batch that uses the whole budget while its item waits for the store. */
async function fill(): Promise<RawConnection> {
  const connection = await connect()
  connection.send(rawPost('/batch', batch(budget)))
  await gate.reached
  return connection
}

/** Resolves when the server knows that the first connection is closed. */
function firstIsGone(): Promise<void> {
  return new Promise((resolve) =>
    sockets[0]?.once('close', () => {
      resolve()
    }),
  )
}

async function expectFull(): Promise<void> {
  expect(await reply(rawPostHead('/batch', ['Content-Length: 5000']))).toBe(503)
}

/**
 * Checks that the budget becomes free. Repeats the check, because the system reports a cut connection with a delay.
 */
async function expectFree(): Promise<void> {
  while ((await reply(rawPost('/batch', batch(5_000)))) === 503) expect(gate).toBeDefined()
}

describe('while a batch is in progress', () => {
  test.each([
    ['with a length above the budget', ['Content-Length: 5000']],
    ['with an unknown length', ['Transfer-Encoding: chunked']],
  ])('another batch %s is refused before its body is read', async (_what, headers) => {
    await fill()
    const second = await connect()
    second.send(rawPostHead('/batch', headers))
    const { status, body, headers: told } = await second.reply()
    expect([status, shownFault(body).code, told['retry-after']]).toEqual([503, 'overloaded', '1'])
    expect(shownFault(body).message).toContain('Nothing was stored')
  })

  test('a batch with room in the budget is accepted, and so are other requests', async () => {
    const first = await connect()
    first.send(rawPost('/batch', batch(5_000)))
    await gate.reached
    const second = await connect()
    second.send(rawPost('/batch', batch(1_000)))
    const third = await connect()
    third.send(rawPost('/entities', JSON.stringify({ external_id: 'ada' })))
    gate.letThrough()
    expect((await second.reply()).status).toBe(200)
    expect((await third.reply()).status).toBe(201)
    expect((await first.reply()).status).toBe(200)
  })

  test('a batch above the size limit gets the error for its size', async () => {
    await fill()
    const head = rawPostHead('/batch', [`Content-Length: ${String(beyondBatches)}`])
    expect(await reply(head)).toBe(413)
    await expectFull()
  })

  test('a batch without a key gets the error for its key', async () => {
    await fill()
    const head = rawPostHead('/batch', ['Content-Length: 5000'])
    expect(await reply(head.replace('Bearer ', 'Bearer x'))).toBe(401)
  })
})

test.each([
  ['with a key that can only track', [`Authorization: Bearer ${trackKey}`]],
  ['with a key that is not checked yet', []],
])('bodies %s that never arrive leave room for a batch', async (_what, key) => {
  gate.letThrough()
  const head = ['POST /v1/batch HTTP/1.1', 'Host: a', 'Content-Length: 1000', ...key]
  for (let times = 0; times < 2; times += 1) {
    const arrived = once(service.server.server, 'request')
    const one = await connect()
    one.send(`${head.join('\r\n')}\r\n\r\n{`)
    await arrived
  }
  expect(await reply(rawPost('/batch', batch(5_000)))).toBe(200)
})

test('a batch that is alone is never refused for its size', async () => {
  gate.letThrough()
  expect(await reply(rawPost('/batch', batch(5 * budget)))).toBe(200)
  const chunks = `1\r\n{\r\n0\r\n\r\n`
  expect(await reply(rawPostHead('/batch', ['Transfer-Encoding: chunked']) + chunks)).toBe(400)
})

describe('the budget is free again', () => {
  test('after the reply', async () => {
    const first = await fill()
    await expectFull()
    gate.letThrough()
    expect((await first.reply()).status).toBe(200)
    expect(await reply(rawPost('/batch', batch(5_000)))).toBe(200)
    expect(await reply(rawPost('/batch', batch(5_000)), first)).toBe(200)
  })

  test.each<[string, string, number]>([
    ['a body that is not JSON', rawPost('/batch', '{'.repeat(budget)), 400],
    ['a body that is not a batch', rawPost('/batch', `{"a":"${'x'.repeat(budget)}"}`), 422],
    ['a query', rawPost('/batch?a', batch(budget)), 400],
    ['an Idempotency-Key', rawPost('/batch', batch(budget), ['Idempotency-Key: k']), 400],
    [
      'chunks that are too large',
      rawPostHead('/batch', ['Transfer-Encoding: chunked']) +
        `${beyondBatches.toString(16)}\r\n${'x'.repeat(beyondBatches)}\r\n0\r\n\r\n`,
      413,
    ],
  ])('after %s', async (_what, bytes, status) => {
    gate.letThrough()
    expect(await reply(bytes)).toBe(status)
    expect(await reply(rawPost('/batch', batch(5_000)))).toBe(200)
  })

  test('after a body that was cut off', async () => {
    gate.letThrough()
    const first = await connect()
    first.send(`${rawPostHead('/batch', [`Content-Length: ${String(budget - 1_000)}`])}{`)
    // The server accepts the next connection after it has read these bytes. So a refusal shows that they count.
    while ((await reply(rawPostHead('/batch', ['Content-Length: 5000']))) !== 503) {
      await expectFree()
    }
    first.reset()
    await expectFree()
  })

  test('when the items of a disconnected client have run, and not before', async () => {
    const first = await fill()
    const gone = firstIsGone()
    first.reset()
    await gone
    await expectFull()
    gate.letThrough()
    await expectFree()
  })

  test('when a connection is cut while its request waits for an earlier one', async () => {
    const first = await connect()
    first.send(rawPost('/entities', JSON.stringify({ external_id: 'ada' })))
    await gate.reached
    const gone = firstIsGone()
    const arrived = once(service.server.server, 'request')
    first.send(`${rawPostHead('/batch', [`Content-Length: ${String(budget - 1_000)}`])}{`)
    await arrived
    await expectFull()
    first.reset()
    await gone
    gate.letThrough()
    await expectFree()
  })

  test('after requests without a connection', async () => {
    gate.letThrough()
    for (let times = 0; times < 3; times += 1) {
      const { status } = await postBatch(service.server, [
        create(`inject-${String(times)}`, { properties: { a: 'x'.repeat(budget) } }),
      ])
      expect(status).toBe(200)
    }
  })
})
