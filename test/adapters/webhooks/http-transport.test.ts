import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  HttpTransport,
  type HttpTransportOptions,
} from '../../../src/adapters/webhooks/http-transport.js'
import { systemClock } from '../../../src/adapters/system/clock-and-ids.js'
import { until } from '../../support/webhooks/until.js'
import { secretsOf } from '../../support/webhooks/webhooks-in.js'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function receiver(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${String(portOf(server))}/hook?token=s3cret`
}

/** A receiver that need not speak HTTP. */
async function rawReceiver(answer: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    answer(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${String(portOf(server))}/hook?token=s3cret`
}

function portOf(server: TcpServer): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function transport(options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const made = new HttpTransport({
    isInsecure: true,
    isPrivate: true,
    clock: systemClock,
    version: '1.2.3',
    ...options,
  })
  open.push(() => made.close())
  return made
}

const secrets = [secretsOf().secretOf('mail', 2), secretsOf().secretOf('mail', 1)]
const message = (url: string, body = '{"type":"webhook.test"}') => ({
  webhook: 'mail',
  url,
  id: 'msg-1',
  body,
  secrets,
})
const { signal } = new AbortController()

describe('a message to a receiver', () => {
  it('is signed with each secret, as libraries of Standard Webhooks verify it', async () => {
    let headers: IncomingHttpHeaders = {}
    let body = ''
    const url = await receiver((request, reply) => {
      headers = request.headers
      void text(request).then((received) => {
        body = received
        reply.writeHead(204).end()
      })
    })
    // Long enough for several slices of the signature, with characters of several bytes.
    const sent = JSON.stringify({ text: 'ä'.repeat(100_000) })
    const outcome = await transport().send(message(url, sent), signal)
    expect(outcome).toEqual({ kind: 'replied', status: 204, retryAfterMs: undefined })
    const given = {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    }
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, given)).toEqual(JSON.parse(sent))
    }
    const wrong = new Webhook(secretsOf().secretOf('mail', 3))
    expect(() => wrong.verify(body, given)).toThrow()
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Dossier/1.2.3',
      'webhook-id': 'msg-1',
    })
  })

  it.each([200, 404, 410, 429, 500])('reports the status %d', async (status) => {
    const url = await receiver((_request, reply) => reply.writeHead(status).end('a secret text'))
    const outcome = await transport().send(message(url), signal)
    expect(outcome).toEqual({ kind: 'replied', status, retryAfterMs: undefined })
  })

  it.each([
    ['seconds', '120', 120_000],
    ['a date', new Date(10_000).toUTCString(), 10_000],
    ['a text', 'soon', undefined],
  ])('reports Retry-After as %s', async (_form, header, retryAfterMs) => {
    const url = await receiver((_request, reply) =>
      reply.writeHead(503, { 'retry-after': header }).end(),
    )
    const clock = { now: () => new Date(0) }
    expect(await transport({ clock }).send(message(url), signal)).toMatchObject({ retryAfterMs })
  })

  it('follows no redirect', async () => {
    let requests = 0
    const url = await receiver((_request, reply) => {
      requests += 1
      reply.writeHead(301, { location: '/elsewhere' }).end()
    })
    expect(await transport().send(message(url), signal)).toMatchObject({ status: 301 })
    expect(requests).toBe(1)
  })

  it('is delivered with the headers of a reply whose body is long or never ends', async () => {
    const url = await receiver((_request, reply) => {
      reply.writeHead(200)
      reply.write('x'.repeat(1_048_576))
    })
    expect(await transport().send(message(url), signal)).toMatchObject({ status: 200 })
  })

  it('reads at most a small part of a reply that never ends, and closes its connection', async () => {
    let written = 0
    const closed = new Promise<void>((resolve) => {
      void receiver((_request, reply) => {
        reply.on('close', resolve)
        reply.writeHead(200)
        const block = Buffer.alloc(1_048_576)
        const writeMore = () => {
          do written += block.length
          while (!reply.destroyed && reply.write(block))
        }
        reply.on('drain', writeMore)
        writeMore()
      }).then((url) => transport().send(message(url), signal))
    })
    await closed
    // The buffers of both sockets take some megabytes. A sender that reads on takes hundreds.
    expect(written).toBeLessThan(33_554_432)
  })

  it('is delivered with the headers of a reply whose body comes a byte at a time, and closes its connection', async () => {
    let outcome: unknown
    const closed = new Promise<void>((resolve) => {
      void receiver((_request, reply) => {
        reply.writeHead(200)
        const drip = setInterval(() => reply.write('x'), 100)
        reply.on('close', () => {
          clearInterval(drip)
          resolve()
        })
      }).then(async (url) => {
        outcome = await transport().send(message(url), signal)
      })
    })
    await closed
    await until(() => outcome !== undefined)
    expect(outcome).toMatchObject({ status: 200 })
  })

  it('is delivered with the headers of a reply that breaks off', async () => {
    const url = await receiver((_request, reply) => {
      reply.writeHead(200, { 'content-length': '1000' })
      reply.write('x', () => reply.destroy())
    })
    expect(await transport().send(message(url), signal)).toMatchObject({ status: 200 })
  })

  it('opens at most 16 connections for a webhook, and uses them again', async () => {
    const sockets = new Set<unknown>()
    const url = await receiver((request, reply) => {
      sockets.add(request.socket)
      reply.writeHead(200).end('a short text')
    })
    const sender = transport()
    await Promise.all(Array.from({ length: 60 }, () => sender.send(message(url), signal)))
    expect(sockets.size).toBeLessThanOrEqual(16)
    sender.forget('mail')
    await sender.send(message(url), signal)
    const opened = sockets.size
    for (let sent = 0; sent < 20; sent += 1) await sender.send(message(url), signal)
    expect(sockets.size).toBeLessThanOrEqual(opened + 15)
  })

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', /^the reply is not HTTP$/],
    [
      'headers that are too large',
      `HTTP/1.1 200 OK\r\nx: ${'s3cret'.repeat(20_000)}\r\n\r\n`,
      /^the headers of the reply are too large$/,
    ],
    ['headers that never end', 'HTTP/1.1 200 OK\r\nx-begin: s3cret', /^no reply in time$/],
    ['early hints alone', 'HTTP/1.1 103 Early Hints\r\nlink: s3cret\r\n\r\n', /^no reply in time$/],
  ])('is not delivered to a receiver that sends %s', async (_name, text, error) => {
    const url = await rawReceiver((socket) => {
      socket.once('data', () => socket.write(text))
    })
    const outcome = await transport({ replyMs: 500 }).send(message(url), signal)
    if (outcome.kind !== 'unreachable') throw new Error('expected no reply')
    expect(outcome.error).toMatch(error)
    expect(outcome.error).not.toContain('s3cret')
  })

  it('is not delivered to a receiver that never reads', async () => {
    const url = await rawReceiver((socket) => {
      socket.pause()
    })
    // Larger than the buffers of both sockets.
    const outcome = await transport({ replyMs: 500 }).send(
      message(url, 'x'.repeat(16_777_216)),
      signal,
    )
    expect(outcome).toEqual({ kind: 'unreachable', error: 'no reply in time' })
  })

  it('is not delivered when nobody listens, or when the name has no address', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = portOf(server)
    server.close()
    await once(server, 'close')
    const url = `http://127.0.0.1:${String(port)}/hook`
    expect(await transport().send(message(url), signal)).toEqual({
      kind: 'unreachable',
      error: 'connection refused',
    })
    const noName = transport({
      lookup: (_host, _options, callback) => {
        const error = new Error('getaddrinfo ENOTFOUND s3cret.example')
        callback(Object.assign(error, { code: 'ENOTFOUND' }), [])
      },
    })
    expect(await noName.send(message('http://s3cret.example/hook'), signal)).toEqual({
      kind: 'unreachable',
      error: 'the name has no address',
    })
  })

  it('of one webhook does not wait for a receiver of another webhook that hangs', async () => {
    const hanging = await receiver(() => undefined)
    const url = await receiver((_request, reply) => reply.writeHead(204).end())
    const sender = transport()
    const abort = new AbortController()
    const open = Array.from({ length: 20 }, () =>
      sender.send({ ...message(hanging), webhook: 'hanging' }, abort.signal),
    )
    expect(await sender.send(message(url), signal)).toMatchObject({ status: 204 })
    abort.abort()
    await Promise.all(open)
  })

  it.each([
    ['never replies', () => undefined, 'no reply in time'],
    [
      'resets the connection',
      ({ socket }: Parameters<RequestListener>[0]) => socket.destroy(),
      /^(connection reset|the connection was closed)$/,
    ],
  ] as const)('is not delivered to a receiver that %s', async (_name, answer, error) => {
    const url = await receiver((request) => {
      answer(request)
    })
    const outcome = await transport({ replyMs: 300 }).send(message(url), signal)
    if (outcome.kind !== 'unreachable') throw new Error('expected no reply')
    expect(outcome.error).toMatch(error)
    expect(outcome.error).not.toContain('s3cret')
  })

  it('ends when the caller no longer waits', async () => {
    const url = await receiver(() => undefined)
    const abort = new AbortController()
    const sending = transport().send(message(url), abort.signal)
    abort.abort()
    expect(await sending).toEqual({ kind: 'unreachable', error: 'the delivery was stopped' })
  })
})

describe('the address of a receiver', () => {
  const guarded = (lookup?: HttpTransportOptions['lookup']) =>
    transport({ isPrivate: false, ...(lookup === undefined ? {} : { lookup }) })
  const notPublic = { kind: 'unreachable', error: 'the address is not public' }

  it('is refused when it is private, although nothing is looked up', async () => {
    let requests = 0
    const url = await receiver(() => {
      requests += 1
    })
    expect(await guarded().send(message(url), signal)).toEqual(notPublic)
    expect(requests).toBe(0)
  })

  it.each([
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://2130706433:PORT/',
    'http://127.1:PORT/',
    'http://169.254.169.254/latest/meta-data/',
  ])('is refused as a literal: %s', async (literal) => {
    let looked = 0
    const sender = guarded((_host, _options, callback) => {
      looked += 1
      callback(null, [{ address: '127.0.0.1', family: 4 }])
    })
    const { port } = new URL(await receiver(() => undefined))
    const url = literal.replace('PORT', port)
    expect(await sender.send(message(url), signal)).toEqual(notPublic)
    expect(looked).toBe(0)
  })

  it('is refused as IPv4 in IPv6 that a name resolves to', async () => {
    const url = await receiver(() => undefined)
    const sender = guarded((_host, _options, callback) => {
      callback(null, [{ address: '::ffff:127.0.0.1', family: 6 }])
    })
    const named = url.replace('127.0.0.1', 'mapped.example')
    expect(await sender.send(message(named), signal)).toEqual(notPublic)
  })

  it('is checked once more at the open socket', async () => {
    let requests = 0
    const url = await receiver(() => {
      requests += 1
    })
    let reads = 0
    // Claims a public address to the check, and gives Node another one.
    const changing = {
      family: 4,
      get address() {
        reads += 1
        return reads === 1 ? '8.8.8.8' : '127.0.0.1'
      },
    }
    const sender = guarded((_host, _options, callback) => {
      callback(null, [changing])
    })
    const named = url.replace('127.0.0.1', 'changing.example')
    expect(await sender.send(message(named), signal)).toEqual(notPublic)
    expect([reads > 1, requests]).toEqual([true, 0])
  })

  it('is refused when the name resolves to private addresses alone', async () => {
    const url = await receiver(() => undefined)
    const named = url.replace('127.0.0.1', 'rebind.example')
    const outcome = await guarded((_host, _options, callback) => {
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '::ffff:127.0.0.1', family: 6 },
      ])
    }).send(message(named), signal)
    expect(outcome).toEqual(notPublic)
  })

  it('is looked up again for each connection, so that a name cannot change after a check', async () => {
    const answers = ['203.0.113.1', '127.0.0.1']
    let looked = 0
    const sender = guarded((_host, _options, callback) => {
      callback(null, [{ address: answers[looked] ?? '', family: 4 }])
      looked += 1
    })
    const url = 'http://rebind.example:9/hook'
    expect(await sender.send(message(url), signal)).toEqual(notPublic)
    expect(await sender.send(message(url), signal)).toEqual(notPublic)
    expect(looked).toBe(2)
  })

  it('without https is refused when the setting was turned off after the definition', async () => {
    const outcome = await transport({ isInsecure: false }).send(
      message('http://127.0.0.1:9/'),
      signal,
    )
    expect(outcome).toEqual({ kind: 'unreachable', error: 'http is not allowed' })
  })
})
