import { afterEach, expect, it } from '@jest/globals'
import { Refusal } from '../../../src/application/ports/refusal.js'
import { refuseUntrustedClock } from '../../../src/application/recording/guard-store.js'
import { trackUnknownOutcomes } from '../../../src/application/recording/track-unknown-outcomes.js'
import { create, postBatch, record, update } from '../../support/batch.js'
import { expectFault } from '../../support/fault-expectation.js'
import { httpService, type HttpService } from '../../support/http-service.js'
import { noExactAppends } from '../../support/no-exact-appends.js'
import { patch, post } from '../../support/post.js'

const clockTrust = { isTrusted: true }
let service: HttpService
afterEach(async () => {
  clockTrust.isTrusted = true
  await service.server.close()
})

/**
 * Creates a service that records the outcomes of appends, as in production. A refusal then depends on earlier
 * attempts with its idempotency key.
 */
function serve(outcomes: readonly Error[] = []): void {
  const left = [...outcomes]
  service = httpService({
    clockTrust,
    eventStore: (store) => {
      const failing = {
        ...noExactAppends,
        append: (append: Parameters<typeof store.append>[0]) => {
          const error = left.shift()
          return error === undefined ? store.append(append) : Promise.reject(error)
        },
      }
      return trackUnknownOutcomes(refuseUntrustedClock(failing, clockTrust))
    },
  })
}

const ada = { external_id: 'ada', properties: {} }
const login = { entity_external_id: 'ada', name: 'login' }
const keyed = { 'idempotency-key': 'k' }
const types = () => service.store.read('entity-ada').map(({ type }) => type)

it('refuses every write while the clock is not trusted, and stores nothing', async () => {
  serve()
  await post(service.server, '/entities', ada)
  clockTrust.isTrusted = false
  const replies = [
    await post(service.server, '/entities', { external_id: 'bob' }),
    await post(service.server, '/events', login),
    await patch(service.server, 'ada', { set: { a: 1 } }),
    await patch(service.server, 'bob', { set: { a: 1 }, upsert: true }),
  ]
  for (const reply of replies) {
    const { message } = expectFault(reply, 503, 'clock_untrusted')
    expect(message).toMatch(/NTP.*Nothing was stored.*later, or to another replica/)
    expect(reply.headers['retry-after']).toBe('1')
  }
  expect(types()).toEqual(['EntityCreated'])
  expect(service.store.read('entity-bob')).toEqual([])
  clockTrust.isTrusted = true
  expect((await post(service.server, '/events', login)).statusCode).toBe(201)
})

it('mentions earlier attempts to a request with an idempotency key', async () => {
  serve()
  clockTrust.isTrusted = false
  const reply = await post(service.server, '/entities', ada, keyed)
  const { message } = expectFault(reply, 503, 'clock_untrusted')
  expect(message).toMatch(/This request stored nothing\. An earlier request .* may be stored/)
})

it('does not call a request "not stored" when an earlier attempt with its idempotency key has an unknown outcome', async () => {
  serve([new Refusal('outcome_unknown', 'no answer')])
  expectFault(await post(service.server, '/entities', ada, keyed), 504, 'outcome_unknown')
  clockTrust.isTrusted = false
  expectFault(await post(service.server, '/entities', ada, keyed), 504, 'outcome_unknown')
  const other = await post(service.server, '/entities', ada, { 'idempotency-key': 'other' })
  expectFault(other, 503, 'clock_untrusted')
})

it('refuses each item of a batch', async () => {
  serve()
  clockTrust.isTrusted = false
  const items = [create('ada'), record('ada'), update('ada', { set: { a: 1 } }), create('bob')]
  const answer = await postBatch(service.server, items)
  expect([answer.status, answer.short]).toEqual([
    207,
    [
      '503 clock_untrusted',
      '503 store_unavailable',
      '503 store_unavailable',
      '503 clock_untrusted',
    ],
  ])
  expect(answer.counts).toEqual({ stored: 0, replayed: 0, refused: 4, unknown: 0 })
  expect(types()).toEqual([])
})

it('is not ready while the clock is not trusted, but is live', async () => {
  serve()
  const get = (url: string) => service.server.inject({ method: 'GET', url })
  expect((await get('/health/ready')).statusCode).toBe(200)
  clockTrust.isTrusted = false
  expectFault(await get('/health/ready'), 503, 'clock_untrusted')
  expect((await get('/health/live')).statusCode).toBe(200)
  clockTrust.isTrusted = true
  expect((await get('/health/ready')).statusCode).toBe(200)
})
