import { describe, expect, test } from '@jest/globals'
import type { HttpClient, Reply } from '../../../examples/online-retail/http-client.js'
import { sendInBatches } from '../../../examples/online-retail/send-in-batches.js'
import type { SendOnce, Write } from '../../../examples/online-retail/write.js'

interface Sent {
  readonly items: readonly Write[]
  readonly bytes: number
  readonly timeoutMs: number
  answer(reply: Partial<Reply> | Error): void
}

/** A client whose requests the test answers. */
function fakeClient() {
  const sent: Sent[] = []
  const client: Pick<HttpClient, 'send'> = {
    send: ({ method, path, body, idempotencyKey }, timeoutMs) =>
      new Promise((resolve, reject) => {
        expect({ method, path, idempotencyKey }).toEqual({ method: 'POST', path: '/batch' })
        const { items } = JSON.parse(body) as { readonly items: readonly Write[] }
        const answer = (reply: Partial<Reply> | Error) => {
          if (reply instanceof Error) reject(reply)
          else resolve({ status: 200, retryAfter: undefined, replayed: false, body: {}, ...reply })
        }
        sent.push({ items, bytes: Buffer.byteLength(body), timeoutMs, answer })
      }),
  }
  return { client, sent }
}

function login(key: string, text = ''): Write {
  return {
    op: 'record_event',
    idempotency_key: key,
    entity_external_id: 'ada',
    name: 'login',
    properties: { text },
    occurred_at: '2010-12-20T08:27:00Z',
  }
}

const keysOf = (sent: readonly Sent[]) =>
  sent.map(({ items }) => items.map((item) => item.idempotency_key))

const turn = () => new Promise(setImmediate)

/** A write's reply, or the text of its error. */
const send = (sendOnce: SendOnce, write: Write, timeoutMs = 1_000) =>
  sendOnce(write, timeoutMs).catch((error: unknown) => String(error))

const created = { status: 201, data: {}, position: '7', replayed: false }
const results = (...all: readonly object[]): Partial<Reply> => ({
  body: { data: { results: all } },
})

describe('writes in batches', () => {
  test('go out together as they are, and each gets its own reply', async () => {
    const { client, sent } = fakeClient()
    const sendOnce = sendInBatches(client, { size: 10, inFlight: 1 })
    const replies = ['a', 'b', 'c', 'd'].map((key) => send(sendOnce, login(key)))
    await turn()
    expect(sent.map(({ items }) => items)).toEqual([['a', 'b', 'c', 'd'].map((key) => login(key))])
    const refused = { status: 422, error: { code: 'validation_failed' } }
    const overloaded = { status: 503, error: { code: 'overloaded' } }
    sent[0]?.answer({
      status: 207,
      retryAfter: '2',
      ...results(created, { ...created, replayed: true }, refused, overloaded),
    })
    expect(await Promise.all(replies)).toMatchObject([
      { status: 201, replayed: false, body: { data: {} } },
      { status: 201, replayed: true, body: { data: {} } },
      { status: 422, body: { error: { code: 'validation_failed' } } },
      { status: 503, body: { error: { code: 'overloaded' } }, retryAfter: '2' },
    ])
  })

  test('gather while enough batches are under way, and fill no batch beyond its size', async () => {
    const { client, sent } = fakeClient()
    const sendOnce = sendInBatches(client, { size: 2, inFlight: 2 })
    const replies = ['a', 'b', 'c', 'd', 'e'].map((key) => send(sendOnce, login(key)))
    await turn()
    expect(keysOf(sent)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    replies.push(send(sendOnce, login('f')), send(sendOnce, login('g')))
    await turn()
    expect(sent).toHaveLength(2)
    sent[1]?.answer(results(created, created))
    await Promise.all(replies.slice(2, 4))
    await turn()
    expect(keysOf(sent).slice(2)).toEqual([['e', 'f']])
    sent[0]?.answer(new Error('broken'))
    await Promise.all(replies.slice(0, 2))
    await turn()
    expect(keysOf(sent).slice(3)).toEqual([['g']])
  })

  test('wait for their reply as long as the most patient of them', async () => {
    const { client, sent } = fakeClient()
    const sendOnce = sendInBatches(client, { size: 3, inFlight: 1 })
    for (const timeoutMs of [10, 15_000, 20]) void send(sendOnce, login('a'), timeoutMs)
    await turn()
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000])
  })

  test('are no more than the service takes in one body', async () => {
    const { client, sent } = fakeClient()
    const sendOnce = sendInBatches(client, { size: 1_000, inFlight: 10 })
    for (let count = 0; count < 30; count += 1) void send(sendOnce, login('a', 'é'.repeat(100_000)))
    await turn()
    expect(sent.map(({ items }) => items.length)).toEqual([19, 11])
    for (const { bytes } of sent) expect(bytes).toBeLessThanOrEqual(4_194_304)
  })

  test('reject when the connection breaks', async () => {
    const { client, sent } = fakeClient()
    const sendOnce = sendInBatches(client, { size: 2, inFlight: 1 })
    const replies = [send(sendOnce, login('a')), send(sendOnce, login('b'))]
    await turn()
    sent[0]?.answer(new Error('broken'))
    expect(await Promise.all(replies)).toEqual(['Error: broken', 'Error: broken'])
  })

  test.each<[string, Partial<Reply>, Partial<Reply>]>([
    [
      'refused as a whole is refused',
      { status: 503, retryAfter: '1', body: { error: { code: 'shutting_down' } } },
      { status: 503, retryAfter: '1', body: { error: { code: 'shutting_down' } } },
    ],
    ['answered by no Dossier has no reply', { body: 'hello' }, { body: undefined }],
    ['of fewer results has no reply', results(created), { body: undefined }],
  ])('each of a batch that is %s', async (_what, reply, expected) => {
    const { client, sent } = fakeClient()
    const sendOnce = sendInBatches(client, { size: 2, inFlight: 1 })
    const replies = [send(sendOnce, login('a')), send(sendOnce, login('b'))]
    await turn()
    sent[0]?.answer(reply)
    expect(await Promise.all(replies)).toMatchObject([expected, expected])
  })
})
