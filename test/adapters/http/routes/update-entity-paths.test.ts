import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { brokenRules, shownFault } from '../../../support/fault-expectation.js'
import { listeningService, writeKey, type HttpService } from '../../../support/http-service.js'
import { RawConnection, type RawReply } from '../../../support/raw-connection.js'

// Uses a socket, because an HTTP client might change the path.

let service: HttpService & { readonly port: number }
let connection: RawConnection
beforeAll(async () => {
  service = await listeningService()
})
beforeEach(async () => {
  connection = await RawConnection.open(service.port)
})
afterEach(() => {
  connection.cut()
})
afterAll(() => service.server.close())

const json = 'Content-Type: application/json'
const content = '{"set":{"a":1},"upsert":true}'

/** Sends a request with this target, without a body if none is given. */
async function send(
  target: string,
  { method = 'PATCH', body = content, headers = [json] as readonly string[] } = {},
): Promise<RawReply> {
  const length = body === '' ? [] : [`Content-Length: ${String(Buffer.byteLength(body))}`]
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: dossier',
    `Authorization: Bearer ${writeKey}`,
  ]
  connection.send(...head, ...headers, ...length, '', body)
  return connection.reply()
}

const stored = z.object({ data: z.object({ external_id: z.string() }) })
const idIn = ({ body }: RawReply) => stored.parse(JSON.parse(body)).data.external_id

function expectFault(reply: RawReply, status: number, code: string) {
  const fault = shownFault(reply.body)
  expect([reply.status, fault.code]).toEqual([status, code])
  return fault
}

const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

describe('an id with any characters can be in the path', () => {
  const visible = Array.from({ length: 0x5f }, (_, n) => String.fromCharCode(0x20 + n))
  test.each<[string, string]>([
    ['every visible character of ASCII', `a${visible.join('')}a`],
    ['a path', '/entities/ada?x=1#y'],
    ['text that looks encoded', '%2F%252F%00%'],
    ['dots in a path', '../../health/live'],
    ['names that objects inherit', '__proto__'],
    ['constructor', 'constructor'],
    ['the name of the parameter', ':external_id'],
  ])('%s', async (_what, id) => {
    for (const encode of [encodeURIComponent, everyByte]) {
      const reply = await send(`/entities/${encode(id)}`)
      expect([reply.status, idIn(reply)]).toEqual([encode === everyByte ? 200 : 201, id])
      if (reply.status === 201) {
        expect(reply.headers['location']).toBe(`/entities/${encodeURIComponent(id)}`)
      }
    }
    expect(service.store.read(`entity-${id}`)).toHaveLength(2)
  })

  test.each<[string, string]>([
    ['/entities/a;b', 'a;b'],
    ['/entities/a+b', 'a+b'],
    ['/entities/a&b=c,d', 'a&b=c,d'],
    ['/entities/a@b:c', 'a@b:c'],
    ["/entities/(a)!$'*~", "(a)!$'*~"],
    ['/%65ntities/encoded', 'encoded'],
    ['http://dossier/entities/absolute', 'absolute'],
    ['HTTPS://elsewhere.example:1/entities/elsewhere', 'elsewhere'],
  ])('%s', async (target, id) => {
    const reply = await send(target)
    expect([reply.status, idIn(reply)]).toEqual([201, id])
  })
})

test('faults of the id and of the body are reported together', async () => {
  const reply = await send('/entities/%20', { body: '{"set":1,"external_id":"ada"}' })
  expect(brokenRules(expectFault(reply, 422, 'validation_failed'))).toEqual([
    '/set wrong_type',
    '/external_id unknown_field',
    '/external_id bad_characters',
  ])
})

describe('an invalid request target is refused', () => {
  test.each([
    '/entities/%',
    '/entities/%zz',
    '/entities/a%2',
    '/entities/%ff',
    '/entities/%C0%AF',
    '/entities/%ED%A0%80',
    '/entities/a#b',
    '/entities/a#',
    '/entities/a?#',
    'http://dossier/entities/a#b',
  ])('%s', async (target) => {
    const before = service.store.read('entity-a')
    expectFault(await send(target), 400, 'malformed_request')
    expect(service.store.read('entity-a')).toEqual(before)
  })

  test('when it contains bytes beyond ASCII', async () => {
    expectFault(await send('/entities/é'), 400, 'malformed_request')
    expect(service.store.read('entity-Ã©')).toEqual([])
  })
})

describe('a missing body means {}', () => {
  test.each<[string, readonly string[]]>([
    ['no header', []],
    ['a type', [json]],
    ['another type', ['Content-Type: text/plain']],
    ['an invalid type', ['Content-Type: ;;']],
    ['an empty type', ['Content-Type:']],
    ['a coding', ['Content-Encoding: gzip']],
    ['a length of 0', ['Content-Length: 0']],
    ['a length of 0 and another type', ['Content-Length: 0', 'Content-Type: text/plain']],
    ['a length of 00 and an invalid type', ['Content-Length: 00', 'Content-Type: ;;']],
    ['no chunks with JSON', [json, 'Transfer-Encoding: chunked', '', '0', '']],
  ])('with %s', async (_what, headers) => {
    const reply = await send('/entities/ada', { body: '', headers })
    expect(brokenRules(expectFault(reply, 422, 'validation_failed'))).toEqual([' required'])
  })

  test.each<[string, readonly string[]]>([
    ['no type', []],
    ['another type', ['Content-Type: text/plain']],
    ['an invalid type', ['Content-Type: ;;']],
    ['another charset', ['Content-Type: application/json;charset=latin1']],
    ['a coding', [json, 'Content-Encoding: gzip']],
  ])('and a body with %s has an unsupported type', async (_what, headers) => {
    expectFault(await send('/entities/ada', { headers }), 415, 'unsupported_media_type')
  })
})
