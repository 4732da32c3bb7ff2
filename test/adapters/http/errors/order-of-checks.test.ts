import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { expectFault } from '../../../support/fault-expectation.js'
import { bodyLimit, httpService, readKey, type HttpService } from '../../../support/http-service.js'
import { callersHeaders } from '../../../support/post.js'

let service: HttpService
let asksTooOften: boolean
beforeEach(() => {
  service = httpService({
    rateLimit: { take: () => Promise.resolve(asksTooOften ? 7 : undefined) },
  })
})
afterEach(() => service.server.close())

/** From the first check to the last: what breaks each of them, and how that is answered. */
const steps = [
  { status: 404, code: 'route_not_found', break: { url: '/nothing' } },
  { status: 405, code: 'method_not_allowed', break: { method: 'PUT' as const } },
  { status: 401, code: 'unauthenticated', break: { authorization: 'Bearer unknown' } },
  { status: 429, code: 'rate_limited', break: { asksTooOften: true } },
  { status: 403, code: 'forbidden', break: { authorization: `Bearer ${readKey}` } },
  { status: 415, code: 'unsupported_media_type', break: { contentType: 'text/plain' } },
  { status: 413, code: 'body_too_large', break: { payload: '{'.repeat(bodyLimit + 1) } },
  { status: 400, code: 'malformed_json', break: { payload: '{' } },
  { status: 400, code: 'malformed_request', break: { idempotencyKey: 'with a space' } },
  { status: 422, code: 'validation_failed', break: { payload: '{"name":"x"}' } },
  { status: 404, code: 'entity_not_found', break: {} },
]

const rightRequest = {
  asksTooOften: false,
  url: '/events',
  method: 'POST' as 'POST' | 'PUT',
  authorization: callersHeaders.authorization,
  contentType: callersHeaders['content-type'],
  idempotencyKey: 'key',
  payload: '{"entity_external_id":"nobody","name":"login"}',
}

describe('a request that is wrong in several ways is told the first', () => {
  test.each(steps.map((step, at) => ({ ...step, at })))('$code', async ({ status, code, at }) => {
    const wrongs = steps.slice(at).map((step) => step.break)
    const request = Object.assign({}, rightRequest, ...wrongs.reverse()) as typeof rightRequest
    asksTooOften = request.asksTooOften
    const reply = await service.server.inject({
      method: request.method,
      url: request.url,
      headers: {
        authorization: request.authorization,
        'content-type': request.contentType,
        'idempotency-key': request.idempotencyKey,
      },
      payload: request.payload,
    })
    const fault = expectFault(reply, status, code)
    expect(fault.details.map((detail) => detail.path)).toEqual(
      code === 'validation_failed' ? ['/entity_external_id'] : [],
    )
  })
})

beforeEach(() => {
  asksTooOften = false
})

describe('a path that is not there is told before its body is looked at', () => {
  test.each([
    ['not JSON', '{'],
    ['too large', ' '.repeat(bodyLimit + 1)],
    ['empty', ''],
  ])('%s', async (_what, payload) => {
    const reply = await service.server.inject({
      method: 'POST',
      url: '/nothing',
      headers: callersHeaders,
      payload,
    })
    expectFault(reply, 404, 'route_not_found')
  })
})
