import {
  ANY,
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
  streamNameFilter,
  type AppendExpectedRevision,
  type AppendToStreamOptions,
  type JSONEventType,
} from '@eventstore/db-client'
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { credentials, status } from '@grpc/grpc-js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'

type Client = EventStoreDBClient
type Spoilt = Partial<{ id: string; type: string; data: string }>

const stream = (name = 'case'): string => `double-${crypto.randomUUID()}-${name}`
const event = (spoilt: Spoilt = {}) =>
  jsonEvent<JSONEventType<string, string>>({
    id: crypto.randomUUID(),
    type: 'tested',
    data: 'some data',
    ...spoilt,
  })

/** Returns the outcome of a call as a short text: `ok`, or the type of the error. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
    return 'ok'
  } catch (error) {
    return errorOf(error).type
  }
}

function errorOf(error: unknown): { type?: string; code?: number; message: string } {
  if (!(error instanceof Error)) throw new TypeError('not an error')
  return error
}

async function failure(call: Promise<unknown>): Promise<object> {
  try {
    await call
  } catch (error) {
    const { type, code, message } = errorOf(error)
    return { type, code, message, ...actual(error) }
  }
  throw new Error('it did not fail')
}

function actual(error: unknown): object {
  if (typeof error !== 'object' || error === null || !('actualVersion' in error)) return {}
  return 'expectedVersion' in error
    ? { actual: error.actualVersion, expected: error.expectedVersion }
    : {}
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const one of events) collected.push(one)
  return collected
}

async function revisions(client: Client, name: string): Promise<number[]> {
  const events = await collect(client.readStream(name))
  return events.map((read) => Number(read.event?.revision))
}

const states = {
  missing: () => Promise.resolve(),
  existing: async (client: Client, name: string) => {
    await client.appendToStream(name, [event(), event()])
  },
  'soft-deleted': async (client: Client, name: string) => {
    await client.appendToStream(name, [event(), event()])
    await client.deleteStream(name)
  },
  tombstoned: async (client: Client, name: string) => {
    await client.appendToStream(name, [event(), event()])
    await client.tombstoneStream(name)
  },
}

/** Tests behaviour that a real EventStoreDB and its double must share. `connection` returns the connection string. */
export function describeServer(name: string, connection: () => string): void {
  describe(name, () => {
    let client: Client
    beforeAll(() => {
      client = EventStoreDBClient.connectionString(connection())
    })
    afterAll(() => client.dispose())
    describeAppend(() => client, connection)
    describeRepeat(() => client)
    describeBatchCall(connection)
    describeDeletion(() => client)
    describeReads(() => client)
    describeSubscriptions(() => client)
  })
}

const WRONG = 'wrong-expected-version'
const GONE = 'stream-deleted'

function describeAppend(client: () => Client, connection: () => string): void {
  const table: [AppendExpectedRevision, keyof typeof states, string, bigint | undefined][] = [
    [NO_STREAM, 'missing', 'ok', 0n],
    [NO_STREAM, 'existing', WRONG, undefined],
    [NO_STREAM, 'soft-deleted', 'ok', 2n],
    [NO_STREAM, 'tombstoned', GONE, undefined],
    [STREAM_EXISTS, 'missing', WRONG, undefined],
    [STREAM_EXISTS, 'existing', 'ok', 2n],
    [STREAM_EXISTS, 'soft-deleted', GONE, undefined],
    [STREAM_EXISTS, 'tombstoned', GONE, undefined],
    [ANY, 'missing', 'ok', 0n],
    [ANY, 'existing', 'ok', 2n],
    [ANY, 'soft-deleted', 'ok', 2n],
    [ANY, 'tombstoned', GONE, undefined],
    [1n, 'missing', WRONG, undefined],
    [1n, 'existing', 'ok', 2n],
    [1n, 'soft-deleted', 'ok', 2n],
    [1n, 'tombstoned', GONE, undefined],
    [0n, 'existing', WRONG, undefined],
    [5n, 'existing', WRONG, undefined],
  ]
  test.each(table)('%s on a stream %s: %s', async (expectedRevision, state, expected, revision) => {
    const name = stream(state)
    await states[state](client(), name)
    const append = client().appendToStream(name, event(), { expectedRevision })
    expect(await outcome(append)).toBe(expected)
    if (revision !== undefined)
      expect(await append).toMatchObject({ success: true, nextExpectedRevision: revision })
  })

  test('a wrong revision comes with the head and what was expected', async () => {
    const name = stream()
    const append = (expectedRevision: AppendExpectedRevision) =>
      client().appendToStream(name, event(), { expectedRevision })
    expect(await failure(append(3n))).toMatchObject({ actual: 'no_stream', expected: 3n })
    await append(NO_STREAM)
    const wrong = { type: WRONG, code: undefined, message: '', actual: 0n }
    expect(await failure(append(3n))).toEqual({ ...wrong, expected: 3n })
    expect(await failure(append(NO_STREAM))).toEqual({ ...wrong, expected: 'no_stream' })
  })

  test('metadata alone makes a stream exist', async () => {
    const name = stream()
    await client().setStreamMetadata(name, { maxCount: 9 })
    const append = client().appendToStream(name, event(), {
      expectedRevision: STREAM_EXISTS,
    })
    expect(await append).toMatchObject({ nextExpectedRevision: 0n })
  })

  test('a soft-deleted stream that is written again shows the new events only', async () => {
    const name = stream()
    await states['soft-deleted'](client(), name)
    await client().appendToStream(name, event())
    await client().appendToStream(name, event())
    expect(await revisions(client(), name)).toEqual([2, 3])
  })

  test('nothing to append: success at the head, nothing stored', async () => {
    const name = stream()
    const none = await client().appendToStream(name, [])
    expect(none).toMatchObject({ success: true, nextExpectedRevision: 0n })
    expect(none.position).toBeDefined()
    expect(await outcome(collect(client().readStream(name)))).toBe('stream-not-found')
    await client().appendToStream(name, [event(), event(), event()])
    expect(await client().appendToStream(name, [])).toMatchObject({
      nextExpectedRevision: 2n,
    })
    expect(await revisions(client(), name)).toEqual([0, 1, 2])
  })

  test('an empty stream name and a revision of 2^63 are refused', async () => {
    const refused = {
      type: 'unknown',
      code: undefined,
      message: 'Could not recognize BadRequest',
    }
    expect(await failure(client().appendToStream('', event()))).toEqual(refused)
    const beyond = { expectedRevision: 2n ** 63n }
    expect(await failure(client().appendToStream(stream(), event(), beyond))).toEqual(refused)
  })

  test('an append up to the default limit of the version is taken, and a larger one is not', async () => {
    const limit = defaultLimit(await serverVersion(connection()))
    const quotesAndType = 2 + 2 * 'tested'.length
    const ofSize = (bytes: number) => event({ data: 'x'.repeat(bytes - quotesAndType) })
    const name = stream()
    await client().appendToStream(name, ofSize(limit.taken))
    const more = client().appendToStream(name, ofSize(limit.refused))
    await expect(more).rejects.toMatchObject(limit.refusal)
    expect(await revisions(client(), name)).toEqual([0])
  })

  test('names are kept byte for byte', async () => {
    const name = stream(' / % "$-\n\0 \u05d0 \u4e2d 😀')
    await client().appendToStream(name, event())
    const [read] = await collect(client().readStream(name))
    expect(read?.event?.streamId).toBe(name)
    expect(await outcome(collect(client().readStream(`${name} `)))).toBe('stream-not-found')
  })
}

/** Returns the version that a server without TLS reports, as numbers. */
async function serverVersion(connection: string): Promise<readonly [major: number, minor: number]> {
  const { host } = new URL(connection.replace(/^esdb/, 'http'))
  const features = new ServerFeaturesClient(host, credentials.createInsecure())
  try {
    const text = await new Promise<string>((resolve, reject) => {
      features.getSupportedMethods(new shared.Empty(), (error, methods) => {
        if (error === null) resolve(methods.getEventStoreServerVersion())
        else reject(error)
      })
    })
    const [major = Number.NaN, minor = Number.NaN] = text.split('.').map(Number)
    return [major, minor]
  } finally {
    features.close()
  }
}

/**
 * Returns sizes of type and data in bytes: one that a version accepts by default, and one that the version refuses.
 * Since 25.1, the limit of a protocol message is smaller than the limit of an append. It is between 15 and 16 MiB.
 */
function defaultLimit([major, minor]: readonly [major: number, minor: number]): {
  readonly taken: number
  readonly refused: number
  readonly refusal: object
} {
  const mebibyte = 1024 * 1024
  if (major > 25 || (major === 25 && minor >= 1)) {
    const refusal = { message: expect.stringContaining('RESOURCE_EXHAUSTED') }
    return { taken: 15 * mebibyte, refused: 16 * mebibyte, refusal }
  }
  const refusal = { type: 'maximum-append-size-exceeded', maxAppendSize: mebibyte }
  return { taken: mebibyte, refused: mebibyte + 1, refusal }
}

/** Tests `BatchAppend` directly, without the client. Requires a server without TLS. */
function describeBatchCall(connection: () => string): void {
  let raw: StreamsClient
  beforeAll(() => {
    const { host } = new URL(connection().replace(/^esdb/, 'http'))
    raw = new StreamsClient(host, credentials.createInsecure())
  })
  afterAll(() => {
    raw.close()
  })

  const message = () => {
    const proposed = new streams.BatchAppendReq.ProposedMessage()
      .setId(new shared.UUID().setString(crypto.randomUUID()))
      .setData(Buffer.from('{}'))
    proposed.getMetadataMap().set('type', 'tested').set('content-type', 'application/json')
    const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream()))
    return new streams.BatchAppendReq()
      .setCorrelationId(new shared.UUID().setString(crypto.randomUUID()))
      .setOptions(
        new streams.BatchAppendReq.Options()
          .setStreamIdentifier(identifier)
          .setNoStream(new empty.Empty()),
      )
      .setProposedMessagesList([proposed])
      .setIsFinal(true)
  }

  test('a batch call gives every append its id and its stream back', async () => {
    const call = raw.batchAppend()
    call.on('error', () => undefined)
    const sent = [message(), message(), message()]
    const named = (one: BatchAppendReq | BatchAppendResp, identifier?: StreamIdentifier) =>
      `${one.getCorrelationId()?.getString() ?? ''} ${String(identifier?.getStreamName_asB64())}`
    const answers = new Set<string>()
    const all = new Promise<void>((resolve) => {
      call.on('data', (response: BatchAppendResp) => {
        answers.add(named(response, response.getStreamIdentifier()))
        if (answers.size === sent.length) resolve()
      })
    })
    for (const one of sent) call.write(one)
    await all
    call.cancel()
    expect(answers).toEqual(
      new Set(sent.map((one) => named(one, one.getOptions()?.getStreamIdentifier()))),
    )
  })

  test('a batch call that its caller ends stays open when nothing is under way', async () => {
    const call = raw.batchAppend({ deadline: Date.now() + 1_000 })
    const ended = new Promise((resolve) => {
      call.on('error', resolve)
      call.on('end', resolve)
    })
    call.on('data', () => call.end())
    call.write(message())
    expect(await ended).toMatchObject({ code: status.DEADLINE_EXCEEDED })
  })

  test('a batch call that its caller ends ends with an answer', async () => {
    const call = raw.batchAppend()
    let answers = 0
    call.on('data', () => (answers += 1))
    const ended = new Promise((resolve, reject) => {
      call.on('error', reject)
      call.on('end', resolve)
    })
    for (let count = 0; count < 5; count += 1) call.write(message())
    call.end()
    await ended
    expect(answers).toBeGreaterThan(0)
  })
}

function describeRepeat(client: () => Client): void {
  const twice = async (
    first: AppendExpectedRevision,
    then: AppendExpectedRevision,
    before = 0,
    after = 1,
  ) => {
    const name = stream('repeat')
    const one = event()
    for (let count = 0; count < before; count += 1) await client().appendToStream(name, event())
    const receipt = await client().appendToStream(name, one, { expectedRevision: first })
    for (let count = 0; count < after; count += 1) await client().appendToStream(name, event())
    const again = client().appendToStream(name, event({ id: one.id, data: 'other' }), {
      expectedRevision: then,
    })
    const result = await outcome(again)
    const length = (await revisions(client(), name)).length - before - after
    if (result !== 'ok') return { result, length }
    return { result: Object.is((await again).position?.commit, receipt.position?.commit), length }
  }

  const table: [string, AppendExpectedRevision, AppendExpectedRevision, number, unknown][] = [
    ['NO_STREAM, first at revision 0', NO_STREAM, NO_STREAM, 0, true],
    ['NO_STREAM, however written', ANY, NO_STREAM, 0, true],
    ['exact, the revision before it', ANY, 1n, 2, true],
    ['exact, another old revision', ANY, 0n, 2, WRONG],
    ['STREAM_EXISTS', ANY, STREAM_EXISTS, 1, true],
    ['ANY', STREAM_EXISTS, ANY, 1, true],
    ['NO_STREAM, though at a later revision', ANY, NO_STREAM, 1, WRONG],
  ]
  test.each(table)('a repeat under %s', async (_, first, then, before, result) => {
    expect(await twice(first, then, before)).toEqual({ result, length: 1 })
  })

  test('a repeat under the present head is a duplicate', async () => {
    expect(await twice(ANY, 0n, 0, 0)).toEqual({ result: false, length: 2 })
  })

  test.each<AppendExpectedRevision>([NO_STREAM, ANY, 0n])(
    'a repeat of what is deleted, under %s',
    async (expected) => {
      const name = stream('repeat')
      const [first, second] = [event(), event()]
      await client().appendToStream(name, first)
      await client().appendToStream(name, second)
      await client().deleteStream(name)
      const repeated = expected === 0n ? second : first
      const again: AppendToStreamOptions = { expectedRevision: expected }
      const receipt = await client().appendToStream(name, repeated, again)
      expect(receipt).toMatchObject({ success: true, position: undefined })
      expect(await outcome(collect(client().readStream(name)))).toBe('stream-not-found')
    },
  )

  test('an id belongs to its stream, and only to the first one that the server remembers', async () => {
    const one = event()
    const [first, second] = [stream(), stream()]
    await client().appendToStream(first, one)
    await client().appendToStream(second, one)
    await client().appendToStream(second, one)
    await client().appendToStream(first, one)
    expect(await revisions(client(), first)).toEqual([0])
    expect(await revisions(client(), second)).toEqual([0, 1])
  })

  test('several events are repeated all together', async () => {
    const name = stream()
    const [one, two] = [event(), event()]
    const receipt = await client().appendToStream(name, [one, two])
    const exists: AppendToStreamOptions = { expectedRevision: STREAM_EXISTS }
    expect(await client().appendToStream(name, [one, two], exists)).toEqual(receipt)
    expect(await client().appendToStream(name, two, exists)).toEqual(receipt)
    expect(await outcome(client().appendToStream(name, [one, two, event()], exists))).toBe(WRONG)
    const anew: AppendToStreamOptions = { expectedRevision: NO_STREAM }
    expect(await outcome(client().appendToStream(name, two, anew))).toBe(WRONG)
    expect(await client().appendToStream(name, one, anew)).toMatchObject({
      nextExpectedRevision: 0n,
    })
    expect(await revisions(client(), name)).toEqual([0, 1])
  })

  test('repeats that race the original: stored once, the losers time out', async () => {
    const name = stream()
    const one = event()
    await client().appendToStream(stream(), event())
    const racers = Array.from({ length: 16 }, () =>
      outcome(client().appendToStream(name, one, { expectedRevision: NO_STREAM })),
    )
    const outcomes = new Set(await Promise.all(racers))
    expect(outcomes.delete('ok')).toBe(true)
    outcomes.delete('deadline-exceeded')
    expect([...outcomes]).toEqual([])
    expect(await revisions(client(), name)).toEqual([0])
  })

  test('the same id twice in one append is stored twice', async () => {
    const name = stream()
    const one = event()
    await client().appendToStream(name, [one, one])
    expect(await revisions(client(), name)).toEqual([0, 1])
  })
}

function describeDeletion(client: () => Client): void {
  test('deleting and tombstoning a missing, a deleted and a tombstoned stream', async () => {
    const name = stream()
    expect(await failure(client().deleteStream(name))).toEqual({
      type: WRONG,
      code: 9,
      message:
        '9 FAILED_PRECONDITION: Delete failed due to WrongExpectedVersion. ' +
        `Stream: ${name}, Expected version: -2, Actual version: -1`,
      actual: -1n,
      expected: -2n,
    })
    await client().appendToStream(name, event())
    expect(await outcome(client().deleteStream(name, { expectedRevision: 7n }))).toBe(WRONG)
    await client().deleteStream(name, { expectedRevision: 0n })
    await client().deleteStream(name)
    expect(await failure(collect(client().readStream(name)))).toMatchObject({
      type: 'stream-not-found',
      message: `${name} not found`,
    })
    await client().tombstoneStream(name)
    const gone = {
      type: GONE,
      code: 9,
      message: `9 FAILED_PRECONDITION: Event stream '${name}' is deleted.`,
    }
    expect(await failure(client().tombstoneStream(name))).toEqual(gone)
    expect(await failure(client().deleteStream(name))).toEqual(gone)
    expect(await failure(collect(client().readStream(name)))).toEqual(gone)
    expect(await outcome(client().getStreamMetadata(name))).toBe(GONE)
    await client().tombstoneStream(stream())
  })

  test('metadata is set, read, kept over an undeletion and gone with a tombstone', async () => {
    const name = stream()
    expect(await client().getStreamMetadata(name)).toEqual({ streamName: name })
    await client().appendToStream(name, [event(), event(), event()])
    await client().setStreamMetadata(name, { maxCount: 2 })
    expect(await client().getStreamMetadata(name)).toMatchObject({ metadata: { maxCount: 2 } })
    expect(await revisions(client(), name)).toEqual([1, 2])
    await client().deleteStream(name)
    const { metadata } = await client().getStreamMetadata(name)
    expect(metadata).toEqual({ truncateBefore: Number(2n ** 63n) })
    await client().setStreamMetadata(name, { maxCount: 5 })
    await client().appendToStream(name, event())
    const undeleted = await client().getStreamMetadata(name)
    expect(undeleted.metadata).toEqual({ maxCount: 5, truncateBefore: 3 })
    expect(await revisions(client(), name)).toEqual([3])
  })
}

function describeReads(client: () => Client): void {
  test('a stream is read forwards from a revision and backwards from its end', async () => {
    const name = stream()
    const many = Array.from({ length: 70 }, () => event())
    await client().appendToStream(name, many.slice(0, 50))
    await client().appendToStream(name, many.slice(50))
    const read = async (options: Parameters<Client['readStream']>[1]) => {
      const events = await collect(client().readStream(name, options))
      return events.map(({ event: read }) => Number(read?.revision))
    }
    expect(await read({})).toEqual(Array.from({ length: 70 }, (_, index) => index))
    expect(await read({ fromRevision: 2n, maxCount: 2 })).toEqual([2, 3])
    expect(await read({ fromRevision: 99n })).toEqual([])
    const backwards = { direction: BACKWARDS } as const
    expect(await read({ ...backwards, fromRevision: END, maxCount: 2 })).toEqual([69, 68])
    expect(await outcome(collect(client().readStream('')))).toBe('unknown')
  })

  test('an event is read as it was written', async () => {
    const name = stream()
    const written = { ...event(), metadata: { why: 'a reason' } }
    const receipt = await client().appendToStream(name, written)
    const [read] = await collect(client().readStream(name))
    expect(read?.event).toMatchObject({
      ...{ streamId: name, revision: 0n, isJson: true },
      ...{
        id: written.id,
        type: written.type,
        data: written.data,
        metadata: written.metadata,
        position: receipt.position,
      },
    })
    expect(read?.commitPosition).toBe(receipt.position?.commit)
    expect(Math.abs(Date.now() - Number(read?.event?.created.getTime()))).toBeLessThan(60_000)
  })

  test('$all is read forwards from a position, inclusive, and backwards from its end', async () => {
    const name = stream()
    const [first, second] = [
      await client().appendToStream(name, event()),
      await client().appendToStream(name, [event(), event()]),
    ]
    if (first.position === undefined || second.position === undefined)
      throw new Error('no position')
    const read = async (options: Parameters<Client['readAll']>[0]) => {
      const events = await collect(client().readAll(options))
      return events
        .filter(({ event: read }) => read?.streamId === name)
        .map(({ event: read }) => Number(read?.revision))
    }
    const [forwards, backwards] = [{ direction: FORWARDS }, { direction: BACKWARDS }] as const
    expect(await read({ ...forwards, fromPosition: first.position })).toEqual([0, 1, 2])
    expect(await read({ ...forwards, fromPosition: second.position })).toEqual([2])
    expect(await read({ ...backwards, fromPosition: END, maxCount: 2 })).toEqual([2, 1])
    const at = (offset: bigint) => {
      const place = (second.position?.commit ?? 0n) + offset
      return { commit: place, prepare: place }
    }
    expect(await read({ ...forwards, fromPosition: at(1_000_000n) })).toEqual([])
    // In 23.10 the message ends with "Error", and in 24.10 with "InvalidPosition".
    expect(await failure(read({ ...forwards, fromPosition: at(-3n) }))).toMatchObject({
      type: 'unknown',
      message: expect.stringContaining('Unexpected ReadAllResult: '),
    })
    const [oldest] = await collect(client().readAll({ maxCount: 1 }))
    expect(oldest?.event?.streamId).toMatch(/^\$/)
  })
}

function describeSubscriptions(client: () => Client): void {
  test('a position between events ends a subscription at once', async () => {
    const { position } = await client().appendToStream(stream(), event())
    await client().appendToStream(stream(), event())
    const between = (position?.commit ?? 0n) + 3n
    const all = client().subscribeToAll({
      fromPosition: { commit: between, prepare: between },
      filter: streamNameFilter({ prefixes: ['double-'] }),
    })
    expect(await outcome(collect(all))).toBe('unknown')
  })

  test('$all by stream prefix: matching events only, and checkpoints between them', async () => {
    const prefix = stream('filtered')
    const first = await client().appendToStream(`${prefix}-a`, event())
    if (first.position === undefined) throw new Error('no position')
    const noise = Array.from({ length: 80 }, () => event())
    const checkpoints: bigint[] = []
    const seen: unknown[] = []
    const filter = streamNameFilter({
      prefixes: [prefix],
      checkpointReached: (_, position) => {
        checkpoints.push(position.commit)
        return Promise.resolve()
      },
    })
    const subscription = client().subscribeToAll({ fromPosition: first.position, filter })
    await new Promise<void>((resolve, reject) => {
      subscription
        .on('error', reject)
        .on('caughtUp', () => {
          client()
            .appendToStream(stream('noise'), noise)
            .then(() => client().appendToStream(`${prefix}-b`, event()))
            .catch(reject)
        })
        .on('data', (one) => {
          seen.push(one.event?.streamId)
          resolve()
        })
    })
    await subscription.unsubscribe()
    expect(seen).toEqual([`${prefix}-b`])
    expect(checkpoints.length).toBeGreaterThanOrEqual(2)
    expect(checkpoints.every((position) => position > (first.position?.commit ?? 0n))).toBe(true)
  })

  test('no consumer is dropped while it catches up, however many checkpoints wait', async () => {
    const prefix = stream('long')
    const first = await client().appendToStream(stream('noise'), event())
    if (first.position === undefined) throw new Error('no position')
    const events = () => Array.from({ length: 400 }, () => event())
    for (let n = 0; n < 3; n += 1) await client().appendToStream(`${prefix}-${String(n)}`, events())
    let checkpoints = 0
    let seen = 0
    const checkpointReached = () => {
      checkpoints += 1
      return Promise.resolve()
    }
    const filter = streamNameFilter({ prefixes: [prefix], checkpointReached })
    const subscription = client().subscribeToAll({ fromPosition: first.position, filter })
    await new Promise<void>((resolve, reject) => {
      subscription
        .on('error', reject)
        .on('data', () => (seen += 1))
        .on('caughtUp', () => {
          resolve()
        })
    })
    await subscription.unsubscribe()
    expect(seen).toBe(1_200)
    expect(checkpoints).toBeGreaterThan(32)
  })
}
