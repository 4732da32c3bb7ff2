import { describe, expect, jest, test } from '@jest/globals'
import type { EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { Refusal, RefusalAt } from '../../../../src/application/ports/refusal.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, writeKey } from '../../../support/http-service.js'
import { callersHeaders, post, type Path } from '../../../support/post.js'

const internals = 'SELECT secret FROM 10.0.0.1'
const requests: [Path, object][] = [
  ['/entities', { external_id: 'ada', properties: { private: 'SECRET' } }],
  ['/events', { entity_external_id: 'ada', name: 'login', properties: { private: 'SECRET' } }],
]

/** Returns a service whose appends fail with this error, which can be any value. */
function failing(error: unknown) {
  const append = jest.fn<EventStore['append']>().mockRejectedValue(error)
  return httpService({ eventStore: () => ({ append }) })
}

const nothingStored = expect.stringContaining('Nothing was stored')
const mayBeStored = expect.stringMatching(/may or may not be stored.*may store it twice/)
const sendAgain = expect.stringMatching(
  /may or may not be stored.*again with the same Idempotency-Key/,
)
const mistake = 'The service failed because of a bug. Tell its operator the request_id.'

interface Case {
  readonly what: string
  readonly error: unknown
  readonly key?: string
  readonly status: number
  readonly code: string
  readonly message: unknown
}

const cases: Case[] = [
  {
    what: 'an outage',
    error: new Refusal('store_unavailable', internals),
    status: 503,
    code: 'store_unavailable',
    message: nothingStored,
  },
  {
    what: 'an outage, with a key',
    error: new Refusal('store_unavailable', internals),
    key: 'KEY',
    status: 503,
    code: 'store_unavailable',
    message: expect.stringMatching(
      /This request stored nothing\. An earlier request .* may be stored/,
    ),
  },
  {
    what: 'an unknown outcome',
    error: new Refusal('outcome_unknown', internals),
    status: 504,
    code: 'outcome_unknown',
    message: mayBeStored,
  },
  {
    what: 'an unknown outcome, with a key',
    error: new Refusal('outcome_unknown', internals),
    key: 'KEY',
    status: 504,
    code: 'outcome_unknown',
    message: sendAgain,
  },
  {
    what: 'a bug',
    error: new TypeError(internals),
    status: 500,
    code: 'internal_error',
    message: mistake,
  },
  {
    what: 'an error with a status of its own',
    error: Object.assign(new Error(internals), { statusCode: 404, code: 'ENOENT' }),
    status: 500,
    code: 'internal_error',
    message: mistake,
  },
  {
    what: 'a store of another kind',
    error: Object.assign(new Error(internals), { code: 'store_unavailable' }),
    status: 500,
    code: 'internal_error',
    message: mistake,
  },
  {
    what: 'what is no error',
    error: internals,
    status: 500,
    code: 'internal_error',
    message: mistake,
  },
  { what: 'nothing', error: undefined, status: 500, code: 'internal_error', message: mistake },
]

describe.each(cases)(
  'when $what, the reply is $status $code',
  ({ error, key, status, code, message }) => {
    test.each(requests)(
      'at %s, with one log line and no internal detail in the reply',
      async (path, body) => {
        const { server, log } = failing(error)
        const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
        const reply = await post(server, path, body, headers)
        const fault = expectFault(reply, status, code)
        expect(fault).toEqual({ code, message, details: [], request_id: fault.request_id })
        expect(reply.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
        expect([reply.headers['position'], reply.headers.location]).toEqual([undefined, undefined])
        expect(reply.body).not.toContain('SELECT')
        expect(log.lines).toEqual([
          {
            level: 'error',
            message: 'a request failed',
            details: { requestId: fault.request_id, code, reason: expect.any(String) },
          },
        ])
        const lines = JSON.stringify(log.lines)
        for (const secret of ['SECRET', writeKey, 'KEY']) expect(lines).not.toContain(secret)
        await server.close()
      },
    )
  },
)

test.each(requests)(
  'an overloaded store is reported at %s, and one log line has the number of refusals',
  async (path, body) => {
    const { server, log } = failing(new Refusal('overloaded', internals))
    for (const key of [undefined, 'KEY']) {
      const reply = await post(server, path, body, key ? { 'idempotency-key': key } : {})
      const message = key ? expect.stringContaining('An earlier request') : nothingStored
      expect(expectFault(reply, 503, 'overloaded')).toMatchObject({ message, details: [] })
      expect(reply.headers['retry-after']).toBe('1')
      expect(reply.body).not.toContain('SELECT')
    }
    await server.close()
    const details = { code: 'overloaded', refused: 2 }
    expect(log.lines).toEqual([{ level: 'warn', message: 'requests were refused', details }])
  },
)

test('an append above the size limit of the store has its own error code and no log line', async () => {
  const { server, log } = failing(new Refusal('append_too_large', internals))
  const reply = await post(server, '/entities', { external_id: 'ada' })
  const { message } = expectFault(reply, 413, 'append_too_large')
  // The body itself may be within its limit, so the message must not call it too large.
  expect(message).toMatch(/^The facts of the request are larger than the store accepts/)
  expect(log.lines).toEqual([])
  await server.close()
})

test.each([
  ['read_model_behind', new RefusalAt('read_model_behind', 1)],
  ['building', new RefusalAt('building', 1)],
])('%s, which clients expect while they wait, causes no log line', async (code, error) => {
  const { server, log } = failing(error)
  // Injected into a write, whose documentation does not list this code.
  const request = { method: 'POST', url: '/entities', headers: callersHeaders } as const
  expectFault(await server.inject({ ...request, payload: '{"external_id":"ada"}' }), 503, code)
  expect(log.lines).toEqual([])
  await server.close()
})

test('the log has the reason of the original error', async () => {
  const error = new TypeError(internals)
  const { server, log } = failing(error)
  await post(server, '/entities', { external_id: 'ada' })
  expect(log.lines[0]?.details).toMatchObject({ reason: error.stack })
  await server.close()
})

test('a stored fact that cannot be read is an internal error', async () => {
  const { server } = httpService({
    eventStore: () => ({
      append: ({ facts }) =>
        Promise.resolve({
          position: '1',
          replayed: true,
          facts: facts.map((fact) => ({ ...fact, data: '{"externalId":1}' })),
        }),
    }),
  })
  const reply = await post(server, '/entities', { external_id: 'ada' }, { 'idempotency-key': 'k' })
  expectFault(reply, 500, 'internal_error')
  await server.close()
})

test('a client fault causes no log line', async () => {
  const { server, log } = httpService()
  await post(server, '/events', { entity_external_id: 'nobody', name: 'x' })
  await post(server, '/events', '{')
  await server.inject({ method: 'GET', url: '/nothing' })
  expect(log.lines).toEqual([])
  await server.close()
})
