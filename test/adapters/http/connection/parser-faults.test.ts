import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Timeouts } from '../../../../src/adapters/http/http-options.js'
import { shownFault } from '../../../support/fault-expectation.js'
import {
  bodyLimit,
  listeningService,
  longTimeouts,
  shortTimeouts,
} from '../../../support/http-service.js'
import { RawConnection, type RawReply } from '../../../support/raw-connection.js'
import { rawGet, rawPost, rawPostHead } from '../../../support/raw-request.js'
import { resetService } from '../../../support/shared-http-service.js'

const requestIdFormat = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ada = '{"external_id":"ada"}'

const serve = (timeouts: Timeouts) => listeningService({ options: { timeouts } })
let patient: Awaited<ReturnType<typeof serve>>
let impatient: typeof patient
let service: typeof patient
let connection: RawConnection
beforeAll(async () => {
  patient = await serve(longTimeouts)
  impatient = await serve(shortTimeouts)
})
beforeEach(() => connectTo(patient))
afterEach(() => {
  connection.cut()
})
afterAll(async () => {
  await patient.server.close()
  await impatient.server.close()
})

async function connectTo(one: typeof patient): Promise<void> {
  service = one
  resetService(service)
  connection = await RawConnection.open(service.port)
}

function expectRawFault(reply: RawReply, status: number, code: string): void {
  const fault = shownFault(reply.body)
  expect([reply.status, fault.code]).toEqual([status, code])
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers['request-id']).toBe(fault.request_id)
  expect(fault.details).toEqual([])
}

describe('a request that Node refuses to parse gets an error in our format, and its connection ends', () => {
  const chunked = ['Transfer-Encoding: chunked']
  test.each<[string, number, string, string | Buffer]>([
    ['garbage', 400, 'malformed_request', 'nonsense\r\n\r\n'],
    ['the preface of HTTP/2', 400, 'malformed_request', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a target without a slash', 400, 'malformed_request', 'GET x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 400, 'malformed_request', rawGet('/', ['Broken'])],
    [
      'Content-Length beside Transfer-Encoding',
      400,
      'malformed_request',
      rawPost('/entities', ada, chunked),
    ],
    [
      'a chunk without a size',
      400,
      'malformed_request',
      `${rawPostHead('/entities', chunked)}zz\r\n`,
    ],
    ['headers of 20 KB', 431, 'headers_too_large', rawGet('/', [`A: ${'x'.repeat(20_000)}`])],
    [
      'endless chunk extensions',
      413,
      'body_too_large',
      `${rawPostHead('/entities', chunked)}1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`,
    ],
  ])('%s', async (_what, status, code, bytes) => {
    await expectRefusal(status, code, bytes)
  })

  test.each<[string, string]>([['a body', rawPostHead('/entities', ['Content-Length: 9'])]])(
    '%s, truncated',
    async (_what, bytes) => {
      connection.cut()
      await connectTo(impatient)
      await expectRefusal(408, 'request_timeout', bytes)
    },
  )

  async function expectRefusal(
    status: number,
    code: string,
    bytes: string | Buffer,
  ): Promise<void> {
    connection.send(bytes)
    const reply = await connection.reply()
    expectRawFault(reply, status, code)
    expect(reply.headers['request-id']).toMatch(requestIdFormat)
    expect(reply.headers['connection']).toBe('close')
    expect(await connection.hungUp()).toBe('')
    expect(service.store.read('entity-ada')).toEqual([])
    expect(service.log.lines).toEqual([])
  }
})

describe('an unusual but complete request is answered normally', () => {
  const kept = ['Connection: keep-alive']
  test.each<[string, number, string, string]>([
    ['no Host', 400, 'malformed_request', 'GET /health/live HTTP/1.1\r\n\r\n'],
    ['two Hosts', 400, 'malformed_request', rawGet('/health/live', ['HOST: other'])],
    [
      'two Hosts over HTTP/1.0',
      400,
      'malformed_request',
      'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\nConnection: keep-alive\r\n\r\n',
    ],
    ['OPTIONS *', 404, 'route_not_found', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'a target with a host and an unknown path',
      404,
      'route_not_found',
      rawGet('http://dossier/none'),
    ],
    ['HTTP/2.0', 400, 'malformed_request', rawGet('/', kept).replace('HTTP/1.1', 'HTTP/2.0')],
    [
      'a body with a coding and chunks',
      400,
      'malformed_request',
      `${rawPostHead('/entities', ['Transfer-Encoding: gzip, chunked'])}1\r\n{\r\n0\r\n\r\n`,
    ],
    [
      'chunks over HTTP/1.0',
      400,
      'malformed_request',
      `${rawPostHead('/entities', ['Transfer-Encoding: chunked', ...kept])}1\r\n{\r\n0\r\n\r\n`.replace(
        'HTTP/1.1',
        'HTTP/1.0',
      ),
    ],
  ])('%s, and the connection stays open', async (_what, status, code, bytes) => {
    connection.send(bytes)
    const reply = await connection.reply()
    expect([reply.status, shownFault(reply.body).code]).toEqual([status, code])
    expect(reply.headers['connection']).not.toBe('close')
    connection.send(rawGet('/health/live'))
    expect((await connection.reply()).status).toBe(200)
  })

  test.each<[string, string]>([
    ['an absolute target', rawPost('http://elsewhere.example/entities', ada)],
    ['an unknown expectation', rawPost('/entities', ada, ['Expect: the-unexpected'])],
    [
      'HTTP/1.0 without a Host',
      rawPost('/entities', ada, ['Connection: keep-alive']).replace(
        'HTTP/1.1\r\nHost: dossier',
        'HTTP/1.0',
      ),
    ],
    [
      'chunks',
      `${rawPostHead('/entities', ['Transfer-Encoding: chunked'])}3\r\n{"e\r\n12\r\nxternal_id":"ada"}\r\n0\r\n\r\n`,
    ],
  ])('%s: the event is stored', async (_what, bytes) => {
    connection.send(bytes)
    expect(await connection.reply()).toMatchObject({ status: 201, headers: { position: '1' } })
    expect(service.store.read('entity-ada')).toHaveLength(1)
  })

  test('HEAD for a write route returns the headers of its refusal and no body', async () => {
    connection.send('HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n', rawGet('/health/live').trimStart())
    expect(await connection.reply({ toHead: true })).toMatchObject({
      status: 405,
      headers: { allow: 'POST', 'content-type': 'application/json; charset=utf-8' },
    })
  })

  test.each<[string, number, string]>([
    ['a refused body', 400, rawPost('/entities', '{', ['Connection: close'])],
    ['a request over HTTP/1.0', 404, 'GET /nothing HTTP/1.0\r\n\r\n'],
  ])('the end of the connection is announced: %s', async (_what, status, bytes) => {
    connection.send(bytes)
    const reply = await connection.reply()
    expect([reply.status, reply.headers['connection']]).toEqual([status, 'close'])
    expect(await connection.hungUp()).toBe('')
  })
})

test('a header after a thousand others is still read', async () => {
  const many = Array.from({ length: 1_200 }, () => 'a: b')
  connection.send(rawPost('/entities', ada, [...many, 'Idempotency-Key: a b']))
  expectRawFault(await connection.reply(), 400, 'malformed_request')
})

describe('a body beyond the limit is refused', () => {
  test.each<[string, string]>([
    [
      'by its Content-Length, before it arrives',
      rawPostHead('/entities', ['Content-Length: 8193']),
    ],
    [
      'by its chunks, before they end',
      `${rawPostHead('/entities', ['Transfer-Encoding: chunked'])}2001\r\n${' '.repeat(8_193)}\r\n`,
    ],
  ])('%s', async (_what, bytes) => {
    connection.send(bytes)
    const reply = await connection.reply()
    expectRawFault(reply, 413, 'body_too_large')
    expect(shownFault(reply.body).message).toBe(
      'The body is larger than 8192 bytes. Send a smaller one.',
    )
  })

  test('a caller who sends the whole body first can still read the refusal', async () => {
    connection.send(rawPost('/entities', ' '.repeat(20_000_000)))
    expectRawFault(await connection.reply(), 413, 'body_too_large')
  })

  test('a body at the limit is accepted', async () => {
    connection.send(rawPost('/entities', ada.padEnd(bodyLimit)))
    expect((await connection.reply()).status).toBe(201)
  })
})

describe('a caller who disconnects in the middle of a body causes no log line', () => {
  test.each([
    [
      'by closing the connection',
      () => {
        connection.cut()
      },
    ],
    [
      'by resetting the connection',
      () => {
        connection.reset()
      },
    ],
  ])('%s', async (_how, hangUp) => {
    const arrived = once(service.server.server, 'request')
    connection.send(`${rawPostHead('/entities', ['Content-Length: 100'])}{`)
    const [, response] = (await arrived) as [IncomingMessage, ServerResponse]
    const closed = once(response, 'close')
    hangUp()
    await closed
    await new Promise(setImmediate)
    expect(service.log.lines).toEqual([])
    expect(service.lifecycle.unanswered).toBe(0)
  })
})
