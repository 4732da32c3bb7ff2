import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { shownFault } from '../../../support/fault-expectation.js'
import { listeningService, longTimeouts, shortTimeouts } from '../../../support/http-service.js'
import { RawConnection } from '../../../support/raw-connection.js'
import { rawGet, rawPostHead } from '../../../support/raw-request.js'

const half = 'x'.repeat(2_000_000)
const length = `Content-Length: ${String(2 * half.length)}`
const closing = [length, 'Connection: close']

let service: Awaited<ReturnType<typeof listeningService>>
let sender: RawConnection
let other: RawConnection
beforeEach(() => start(longTimeouts))
afterEach(stop)

async function start(timeouts: typeof longTimeouts): Promise<void> {
  service = await listeningService({ options: { timeouts } })
  sender = await RawConnection.open(service.port)
  other = await RawConnection.open(service.port)
}

async function stop(): Promise<void> {
  sender.cut()
  other.cut()
  await service.server.close()
}

const refused: readonly (readonly [what: string, status: number, code: string, head: string])[] = [
  [
    'without a key',
    401,
    'unauthenticated',
    ['POST /events HTTP/1.1', 'Host: x', ...closing, '', ''].join('\r\n'),
  ],
  ['over HTTP/1.0', 401, 'unauthenticated', ['POST /events HTTP/1.0', length, '', ''].join('\r\n')],
  ['that is too large', 413, 'body_too_large', rawPostHead('/events', closing)],
  ['to an unknown route', 404, 'route_not_found', rawPostHead('/nothing', closing)],
  ['with an invalid URL', 400, 'malformed_request', rawPostHead('/%', closing)],
  [
    'in another HTTP version',
    400,
    'malformed_request',
    rawPostHead('/events', [length]).replace('1.1', '0.9'),
  ],
]

describe('a refusal that ends the connection', () => {
  test.each(refused)(
    'reaches a client that is still sending a request %s',
    async (_what, status, code, head) => {
      const order: string[] = []
      sender.send(head)
      sender.send(half)
      const replied = sender.reply().finally(() => order.push('replied'))
      // The service has looked at the headers by then.
      for (let n = 0; n < 3; n += 1) {
        other.send(rawGet('/health/live'))
        await other.reply()
      }
      order.push('sent')
      sender.send(half)
      const reply = await replied
      expect([reply.status, shownFault(reply.body).code]).toEqual([status, code])
      expect(reply.headers['connection']).toBe('close')
      expect(order).toEqual(['sent', 'replied'])
      expect(await sender.hungUp()).toBe('')
    },
  )

  test('reaches a client that is still sending when the service closes', async () => {
    other.send(rawGet('/health/live'))
    await other.reply()
    service.lifecycle.state = 'closing'
    sender.send(rawPostHead('/events', [length]))
    sender.send(half)
    await readyAgain()
    const closed = service.lifecycle.close(service.server)
    expect(service.lifecycle.unanswered).toBe(1)
    sender.send(half)
    const reply = await sender.reply()
    expect([reply.status, shownFault(reply.body).code]).toEqual([503, 'shutting_down'])
    await closed
    expect(service.lifecycle.unanswered).toBe(0)
  })

  test('does not delay a stop when its client has disconnected', async () => {
    sender.send(rawPostHead('/nothing', closing))
    sender.send(half)
    await readyAgain()
    sender.reset()
    await service.lifecycle.close(service.server)
    expect(service.lifecycle.unanswered).toBe(0)
  })

  test('waits for the rest of its request no longer than the request timeout', async () => {
    await stop()
    await start(shortTimeouts)
    sender.send(rawPostHead('/nothing', closing))
    const reply = await sender.reply()
    expect([reply.status, shownFault(reply.body).code]).toEqual([408, 'request_timeout'])
    expect(await sender.hungUp()).toBe('')
    await service.lifecycle.close(service.server)
    expect(service.lifecycle.unanswered).toBe(0)
  })
})

test('the refusal of a request with an upgrade does not damage the next request', async () => {
  const upgrade = ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAA']
  const order: string[] = []
  sender.send(rawPostHead('/nothing', [length, ...upgrade]))
  sender.send(half)
  const replied = sender.reply().finally(() => order.push('replied'))
  await readyAgain()
  order.push('sent')
  sender.send(half)
  expect(await replied).toMatchObject({ status: 404, headers: { connection: 'keep-alive' } })
  expect(order).toEqual(['sent', 'replied'])
  sender.send(rawGet('/health/live'))
  expect(await sender.reply()).toMatchObject({ status: 200 })
})

/** Resolves when the request that was sent before is in progress. */
async function readyAgain(): Promise<void> {
  while (service.lifecycle.unanswered === 0) {
    const probe = await RawConnection.open(service.port)
    probe.send(rawGet('/health/live'))
    await probe.reply()
    probe.cut()
  }
}
