import { afterEach, describe, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '../../../examples/online-retail/http-client.js'
import { sendSingly } from '../../../examples/online-retail/send-singly.js'
import { sendWithRetries, type Pace } from '../../../examples/online-retail/send-with-retries.js'
import type { Write } from '../../../examples/online-retail/write.js'
import { replayedHeader, startStub, type Answer, type StubService } from './stub-service.js'

const stored: Answer = { status: 201 }
const login = {
  entity_external_id: 'ada',
  name: 'login',
  properties: {},
  occurred_at: '2010-12-20T08:27:00Z',
}
const recording: Write = { op: 'record_event', idempotency_key: 'k-1', ...login }
const upsert: Write = {
  op: 'update_entity',
  idempotency_key: 'k-2',
  external_id: 'ada/1',
  set: { country: 'France' },
  upsert: true,
}

/** Time that passes only in pauses. */
function fakePace() {
  const pauses: number[] = []
  let now = 0
  const pace: Pace = {
    now: () => now,
    random: () => 0.5,
    pause: (milliseconds) => {
      pauses.push(milliseconds)
      now += milliseconds
      return Promise.resolve()
    },
  }
  return { pace, pauses }
}

let stub: StubService
let client: HttpClient

async function send(answers: readonly Answer[], limitMs = 60_000, write = recording) {
  stub = await startStub((_request, index) => answers[index] ?? answers.at(-1) ?? 'reset')
  client = createHttpClient(stub.url, 'the-key')
  const { pace, pauses } = fakePace()
  try {
    return { outcome: await sendWithRetries(sendSingly(client), write, limitMs, pace), pauses }
  } catch (error) {
    return { error, pauses }
  }
}

afterEach(async () => {
  client.close()
  await stub.close()
})

const authorization = 'Bearer the-key'

describe('a write in a request of its own', () => {
  test('goes out with its keys, and 201 means that the service created what it says', async () => {
    expect(await send([stored])).toEqual({ outcome: { kind: 'created' }, pauses: [] })
    expect(stub.seen).toEqual([
      { method: 'POST', path: '/events', key: 'k-1', authorization, body: login },
    ])
  })

  test('names an entity in the path, and 200 means that it was updated', async () => {
    const { outcome } = await send([{ status: 200 }], 60_000, upsert)
    expect(outcome).toEqual({ kind: 'updated' })
    const body = { set: { country: 'France' }, upsert: true }
    expect(stub.seen).toEqual([
      { method: 'PATCH', path: '/entities/ada%2F1', key: 'k-2', authorization, body },
    ])
  })

  test('that was stored before is replayed', async () => {
    const { outcome } = await send([{ status: 201, headers: { [replayedHeader]: 'true' } }])
    expect(outcome).toEqual({ kind: 'replayed' })
  })

  test.each<[string, Answer]>([
    ['503', { status: 503, code: 'overloaded' }],
    ['504', { status: 504, code: 'outcome_unknown' }],
    ['500', { status: 500, code: 'internal_error' }],
    ['429', { status: 429, code: 'rate_limited' }],
    ['408', { status: 408, code: 'request_timeout' }],
    ['a reset', 'reset'],
  ])('is sent again, the same under the same key, after %s', async (_what, answer) => {
    const { outcome } = await send([answer, answer, stored])
    expect(outcome).toEqual({ kind: 'created' })
    expect(stub.seen).toHaveLength(3)
    expect(new Set(stub.seen.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('waits twice as long each time, up to a limit', async () => {
    const { pauses } = await send([...Array<Answer>(8).fill('reset'), stored])
    expect(pauses).toEqual([75, 150, 300, 600, 1_200, 2_400, 3_750, 3_750])
  })

  test('waits at least as long as Retry-After asks', async () => {
    const { pauses } = await send([{ status: 503, headers: { 'Retry-After': '7' } }, stored])
    expect(pauses).toEqual([7_000])
  })

  test.each<[string, readonly Answer[], RegExp]>([
    ['503', [{ status: 503, code: 'store_unavailable' }], /within 2 s: 503 store_unavailable$/],
    ['a reset', ['reset'], /within 2 s: .*ECONNRESET/],
    ['a Retry-After beyond it', [{ status: 503, headers: { 'Retry-After': '3' } }], /within 2 s/],
  ])('is given up when its time is over: %s', async (_what, answers, text) => {
    const { error, pauses } = await send(answers, 2_000)
    expect(error).toMatchObject({ code: 'gave_up', message: expect.stringMatching(text) })
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(2_000)
  })

  test.each<[Answer, string]>([
    [{ status: 409, code: 'entity_exists' }, 'entity_exists'],
    [{ status: 422, code: 'validation_failed' }, 'validation_failed'],
    [{ status: 404, text: '<h1>Not here</h1>' }, 'http_404'],
  ])('that is refused is not sent again: %j', async (answer, code) => {
    expect(await send([answer])).toEqual({ outcome: { kind: 'refused', code }, pauses: [] })
    expect(stub.seen).toHaveLength(1)
  })

  test.each<Answer>([
    { status: 200, text: 'hello' },
    { status: 204, text: '' },
    { status: 302, text: '{"data":{}}' },
  ])('is not counted as stored by a service that is not Dossier: %j', async (answer) => {
    const { error } = await send([answer])
    expect(error).toMatchObject({ code: 'not_dossier' })
  })

  test('is not sent on a connection that was closed', async () => {
    await send([stored])
    client.close()
    await expect(sendSingly(client)(recording, 1_000)).rejects.toThrow('closed')
    expect(stub.seen).toHaveLength(1)
  })
})
