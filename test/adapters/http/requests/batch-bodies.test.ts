import { afterEach, describe, expect, test } from '@jest/globals'
import { batchAnswer, create, record } from '../../../support/batch.js'
import { expectFault, pathsAndCodes } from '../../../support/fault-expectation.js'
import { bodyLimit, readKey } from '../../../support/http-service.js'
import { callersHeaders, post } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const batchLimit = 4_194_304

const service = sharedHttpService()
afterEach(() => {
  expect(service.store.read('entity-ada')).toEqual([])
})

const ada = JSON.stringify(create('ada'))
const right = `{"items":[${ada}]}`

describe('a body that is no batch is refused as a whole', () => {
  test.each<[string, string | Buffer]>([
    ['not JSON', `{"items":[${ada}`],
    ['no body', ''],
    [
      'not UTF-8',
      Buffer.concat([Buffer.from(right.slice(0, -1)), Buffer.from([0x20, 0xff, 0x7d])]),
    ],
    ['__proto__ beside the items', `{"__proto__":{},"items":[${ada}]}`],
    ['__proto__ in an item', `{"items":[${ada},{"__proto__":1}]}`],
    ['__proto__ deep in an item', `{"items":[${ada},{"a":[{"\\u005f_proto__":1}]}]}`],
  ])('%s: 400', async (_what, body) => {
    expectFault(await post(service.server, '/batch', body), 400, 'malformed_json')
  })

  test.each<[string, unknown, readonly (readonly [string, string])[]]>([
    ['no items', {}, [['/items', 'required']]],
    ['items that are null', { items: null }, [['/items', 'wrong_type']]],
    ['items that are an object', { items: { 0: create('ada') } }, [['/items', 'wrong_type']]],
    ['items that are text', { items: 'ada' }, [['/items', 'wrong_type']]],
    ['an empty list', { items: [] }, [['/items', 'empty']]],
    ['1,001 items', { items: Array(1_001).fill(create('ada')) }, [['/items', 'too_many']]],
    [
      'items that are no objects',
      { items: [create('ada'), 1, null, [create('ada')], 'x'] },
      [1, 2, 3, 4].map((at) => [`/items/${String(at)}`, 'wrong_type'] as const),
    ],
    ['one more field', { items: [create('ada')], atomic: true }, [['/atomic', 'unknown_field']]],
    ['a list', [create('ada')], [['', 'wrong_type']]],
    ['a number', 1, [['', 'wrong_type']]],
    ['null', null, [['', 'wrong_type']]],
  ])('%s: 422', async (_what, body, details) => {
    const fault = expectFault(await post(service.server, '/batch', body), 422, 'validation_failed')
    expect(pathsAndCodes(fault)).toEqual(details)
  })

  test('a thousand items that are no objects: a hundred are told', async () => {
    const reply = await post(service.server, '/batch', { items: Array(1_000).fill(0) })
    expect(expectFault(reply, 422, 'validation_failed').details).toHaveLength(100)
  })
})

describe('its size', () => {
  const sized = (bytes: number) => right + ' '.repeat(bytes - right.length)

  test('may be 4 MiB whatever other bodies may be, and not a byte more', async () => {
    expect(bodyLimit).toBeLessThan(batchLimit)
    const large = await post(service.server, '/batch', sized(batchLimit).replace('ada', 'bob'))
    expect(batchAnswer(large.statusCode, large.body).short).toEqual(['201'])
    const larger = await post(service.server, '/batch', sized(batchLimit + 1))
    expect(expectFault(larger, 413, 'body_too_large').message).toBe(
      'The body is larger than 4194304 bytes. Send less at once.',
    )
  })

  test('changes nothing for the other routes, which name their own limit', async () => {
    const body = JSON.stringify({ external_id: 'ada', properties: { a: 'x'.repeat(bodyLimit) } })
    const reply = await post(service.server, '/entities', body)
    expect(expectFault(reply, 413, 'body_too_large').message).toContain(String(bodyLimit))
  })

  test('of an item is not that of a body', async () => {
    const item = create('bob', { properties: { a: 'x'.repeat(2 * bodyLimit) } })
    const reply = await post(service.server, '/batch', { items: [item] })
    expect(batchAnswer(reply.statusCode, reply.body).short).toEqual(['201'])
  })
})

test('an Idempotency-Key is none of a batch, however it is formed', async () => {
  for (const key of ['k', '', 'not a key']) {
    const reply = await post(service.server, '/batch', right, { 'idempotency-key': key })
    const fault = expectFault(reply, 400, 'malformed_request')
    expect(fault.message).toContain('"idempotency_key"')
  }
})

test('a query is refused, and its first parameter named', async () => {
  const reply = await service.server.inject({
    method: 'POST',
    url: '/batch?atomic=true&x',
    headers: callersHeaders,
    payload: right,
  })
  expect(expectFault(reply, 400, 'malformed_request').message).toContain('"atomic"')
})

test('another method is told what there is', async () => {
  const reply = await service.server.inject({
    method: 'PUT',
    url: '/batch',
    headers: callersHeaders,
  })
  expectFault(reply, 405, 'method_not_allowed')
  expect(reply.headers.allow).toBe('POST')
})

describe('what is wrong in several ways is told the first', () => {
  const steps = [
    { status: 404, code: 'route_not_found', break: { url: '/batch/' } },
    { status: 405, code: 'method_not_allowed', break: { method: 'PATCH' as const } },
    { status: 401, code: 'unauthenticated', break: { authorization: 'Bearer unknown' } },
    { status: 403, code: 'forbidden', break: { authorization: `Bearer ${readKey}` } },
    { status: 415, code: 'unsupported_media_type', break: { contentType: 'text/plain' } },
    { status: 413, code: 'body_too_large', break: { payload: '{'.repeat(batchLimit + 1) } },
    { status: 400, code: 'malformed_json', break: { payload: '{' } },
    { status: 400, code: 'malformed_request', break: { url: '/batch?a' } },
    { status: 400, code: 'malformed_request', break: { key: 'k' } },
    { status: 422, code: 'validation_failed', break: { payload: '{"items":[]}' } },
  ]
  const request = {
    url: '/batch',
    method: 'POST' as 'POST' | 'PATCH',
    authorization: callersHeaders.authorization,
    contentType: callersHeaders['content-type'],
    key: undefined as string | undefined,
    payload: JSON.stringify({ items: [record('nobody')] }),
  }

  test.each(steps.map((step, at) => ({ ...step, at })))('$code', async ({ status, code, at }) => {
    const wrongs = steps.slice(at).map((step) => step.break)
    const asked = Object.assign({}, request, ...wrongs.reverse()) as typeof request
    const reply = await service.server.inject({
      method: asked.method,
      url: asked.url,
      headers: {
        authorization: asked.authorization,
        'content-type': asked.contentType,
        ...(asked.key === undefined ? {} : { 'idempotency-key': asked.key }),
      },
      payload: asked.payload,
    })
    expectFault(reply, status, code)
  })
})
