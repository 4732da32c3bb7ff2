import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import {
  HttpTransport,
  type HttpTransportOptions,
} from '../../../src/adapters/webhooks/http-transport.js'
import { systemClock } from '../../../src/adapters/system/clock-and-ids.js'
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
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${String(address.port)}/hook?token=s3cret`
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
    expect(await sending).toMatchObject({ kind: 'unreachable' })
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
