import { describe, expect, test } from '@jest/globals'
import { record } from '../../../support/batch.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { bodyLimit, readKey } from '../../../support/http-service.js'
import { callersHeaders } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

let asksTooOften: boolean
const { server } = sharedHttpService({
  rateLimit: { take: () => Promise.resolve(asksTooOften ? 7 : undefined) },
})

interface Sent {
  readonly url: string
  readonly method?: 'POST' | 'PUT'
  readonly payload: string
  readonly headers?: Readonly<Record<string, string>>
  readonly asksTooOften?: boolean
}

/** The expected status and code, and a change to the request that fails this check and no earlier one. */
type Step = readonly [status: number, code: string, broken: Partial<Sent>]

/** Returns the checks of every write in order, followed by the checks of the route. */
const stepsOf = (largest: number, own: readonly Step[]): readonly Step[] => [
  [404, 'route_not_found', { url: '/nothing' }],
  [405, 'method_not_allowed', { method: 'PUT' }],
  [401, 'unauthenticated', { headers: { authorization: 'Bearer unknown' } }],
  [429, 'rate_limited', { asksTooOften: true }],
  [403, 'forbidden', { headers: { authorization: `Bearer ${readKey}` } }],
  [415, 'unsupported_media_type', { headers: { 'content-type': 'text/plain' } }],
  [413, 'body_too_large', { payload: '{'.repeat(largest + 1) }],
  [400, 'malformed_json', { payload: '{' }],
  ...own,
]

const event = { url: '/events', payload: '{"entity_external_id":"nobody","name":"login"}' }
const ofEvent = stepsOf(bodyLimit, [
  [400, 'malformed_request', { headers: { 'idempotency-key': 'with a space' } }],
  [422, 'validation_failed', { payload: '{"name":"x"}' }],
  [404, 'entity_not_found', {}],
])
const batch = { url: '/batch', payload: JSON.stringify({ items: [record('nobody')] }) }
const ofBatch = stepsOf(4_194_304, [
  [400, 'malformed_request', { url: '/batch?a' }],
  [400, 'malformed_request', { headers: { 'idempotency-key': 'k' } }],
  [422, 'validation_failed', { payload: '{"items":[]}' }],
])

/** Returns a request that fails this check and all later ones. */
function brokenFrom(at: number, right: Sent, steps: readonly Step[]): Sent {
  const merge = (sent: Sent, [, , { headers, ...broken }]: Step): Sent => {
    return { ...sent, ...broken, headers: { ...sent.headers, ...headers } }
  }
  return steps.slice(at).reduceRight(merge, { ...right, headers: callersHeaders })
}

describe.each([
  ['an event', event, ofEvent],
  ['a batch', batch, ofBatch],
])('%s reports the first failed check', (_what, right, steps) => {
  test.each(
    steps.map(
      ([status, code, { url }], at) => [code, status, at, url?.includes('?') === true] as const,
    ),
  )('%s', async (code, status, at, isOfQuery) => {
    const {
      asksTooOften: often,
      method = 'POST',
      url,
      payload,
      headers = {},
    } = brokenFrom(at, right, steps)
    asksTooOften = often === true
    const fault = expectFault(await server.inject({ method, url, payload, headers }), status, code)
    expect(fault.details).toHaveLength(code === 'validation_failed' || isOfQuery ? 1 : 0)
  })
})

test.each([
  ['not JSON', '{'],
  ['too large', ' '.repeat(bodyLimit + 1)],
  ['empty', ''],
])('an unknown path is reported before the body is read: %s', async (_what, payload) => {
  asksTooOften = false
  const url = '/nothing'
  const reply = await server.inject({ method: 'POST', url, headers: callersHeaders, payload })
  expectFault(reply, 404, 'route_not_found')
})
