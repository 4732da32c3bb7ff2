import { binaryEvent, EventStoreDBClient, jsonEvent, type EventData } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { EventStoreDbFactLog } from '../../../../src/adapters/eventstoredb/log/eventstoredb-fact-log.js'
import type { QueueLimits } from '../../../../src/adapters/eventstoredb/log/page-queue.js'
import { parseConnectionUrl } from '../../../../src/adapters/eventstoredb/client/connection-url.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import { UnreadableFact } from '../../../../src/application/facts/stored-fact.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { FactWriter } from '../../../support/fact-writer.js'
import { assertInOrder, factsAfter, takeUntil } from '../../../support/followed-log.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { addition, creation, storedFact } from '../../../support/stored-facts.js'

let double: EventStoreDouble
let writer: FactWriter
let opened: EventStoreDbFactLog[]
let log: EventStoreDbFactLog

beforeEach(async () => {
  opened = []
  double = await EventStoreDouble.start()
  writer = new FactWriter(double.connectionString)
  log = open()
})

afterEach(async () => {
  for (const one of opened) await one.close()
  await writer.close()
  await double.close()
})

function open(timeoutMs = 5_000, limits?: QueueLimits): EventStoreDbFactLog {
  const url = parseConnectionUrl(double.connectionString)
  if (url === undefined) throw new TypeError('not a connection string')
  const one = new EventStoreDbFactLog({ url, timeoutMs, ...(limits && { limits }) })
  opened.push(one)
  return one
}

/** Creates entity `a` if `from` is 1, and records events `from` to `to`. */
async function writeEvents(from: number, to: number, filling = ''): Promise<void> {
  if (from === 1) await writer.create('a')
  for (let n = from; n <= to; n += 1) await writer.record('a', String(n), filling)
}

async function appendBeside(stream: string, ...events: readonly EventData[]): Promise<void> {
  const client = EventStoreDBClient.connectionString(double.connectionString)
  await client.appendToStream(stream, [...events])
  await client.dispose()
}

function others(count: number): readonly EventData[] {
  return Array.from({ length: count }, () => jsonEvent({ type: 'Other', data: {} }))
}

/** Returns the positions of all facts that a reader must receive. */
function stored(): readonly number[] {
  return double
    .records()
    .filter(({ stream, type }) => stream.startsWith('entity-') && type !== 'Other')
    .map(({ position }) => Number(position))
}

function placesOf(facts: readonly LoggedFact[]): readonly number[] {
  return facts.map(({ position }) => position)
}

function follow(of = log, after = 0, signal = new AbortController().signal) {
  return of.follow(after, signal)[Symbol.asyncIterator]()
}

/** Reads facts until the log ends with an error. Returns both. */
async function untilBroken(of = log): Promise<{ facts: LoggedFact[]; error: unknown }> {
  const facts: LoggedFact[] = []
  try {
    for await (const page of of.follow(0, new AbortController().signal)) facts.push(...page.facts)
  } catch (error) {
    return { facts, error }
  }
  throw new Error('it was not broken off')
}

/** Lets the next read pass, and holds the one after it. */
function holdSecondRead() {
  double.faults.hold('beforeRead', { rpc: 'read' }).release()
  return double.faults.hold('beforeRead', { rpc: 'read' })
}

describe('a log that ends with an error', () => {
  const faults: readonly (readonly [string, () => unknown])[] = [
    [
      'a drop as a slow consumer',
      () => {
        double.dropSubscriptions()
      },
    ],
    [
      'a cut connection',
      () => {
        double.dropConnections()
      },
    ],
    // A restart cuts connections, too.
    ...quickOrThorough({
      quick: [],
      thorough: [['a restart of the server', () => double.restart()] as const],
    }),
  ]

  test.each(faults)(
    '%s: delivers everything that arrived, then the reason',
    async (_what, strike) => {
      await writeEvents(1, 40)
      const pages = follow()
      const first = await pages.next()
      await strike()
      const facts = [...(first.value?.facts ?? [])]
      const rest = async () => {
        for (;;) facts.push(...((await pages.next()).value?.facts ?? []))
      }
      const error = await rest().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'store_unavailable' })
      expect(placesOf(facts)).toEqual(stored().slice(0, facts.length))
      expect(await pages.next()).toEqual({ done: true, value: undefined })
    },
  )

  test.each(faults)(
    '%s, repeatedly: a new follower loses and repeats nothing',
    async (_what, strike) => {
      await writeEvents(1, 1)
      const { rounds, each } = quickOrThorough({
        quick: { rounds: 2, each: 8 },
        thorough: { rounds: 6, each: 20 },
      })
      const taking = takeUntil(log, 0, ({ facts }) => facts.length === 2 + rounds * each)
      for (let round = 0; round < rounds; round += 1) {
        for (let n = 0; n < each; n += 1)
          await writer.recordSurely('a', `${String(round)}.${String(n)}`, new Date())
        await strike()
      }
      expect(placesOf((await taking).facts)).toEqual(stored())
    },
  )

  test('an unreachable server fails every call, and calls work when it is back', async () => {
    await writeEvents(1, 3)
    await double.refuseConnections()
    const early = open()
    await expect(early.head()).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(early.at(1_000)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await untilBroken(early)).error).toMatchObject({ code: 'store_unavailable' })
    await double.listen()
    expect(placesOf(await factsAfter(early, 0))).toEqual(stored())
  })

  test('a server that never answers a call answers the next one', async () => {
    await writeEvents(1, 3)
    const hasty = open(1_500)
    for (const ask of [() => hasty.head(), () => hasty.at(stored()[1] ?? 0)]) {
      const held = double.faults.hold('beforeRead', { rpc: 'read' })
      await expect(ask()).rejects.toMatchObject({ code: 'store_unavailable' })
      await held.reached
    }
    expect(await hasty.at(stored()[1] ?? 0)).toBeDefined()
  })

  test.each([
    ['for the end of the log', () => double.faults.hold('beforeRead', { rpc: 'read' })],
    ['to the subscribing call', holdSecondRead],
  ])('a server that never answers %s causes a timeout', async (_what, hold) => {
    await writeEvents(1, 3)
    const held = hold()
    expect((await untilBroken(open(1_500))).error).toMatchObject({
      code: 'store_unavailable',
      // The timer of the log or the deadline of the gRPC call ends the wait. Both have the same length.
      message: expect.stringMatching(/^no answer in time$|deadline exceeded/i),
    })
    await held.reached
  })

  test('a user without permission to read $all is refused', async () => {
    double.faults.refuse('access-denied', { rpc: 'read', times: 2 })
    await expect(log.head()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await untilBroken()).error).toMatchObject({ code: 'store_unavailable' })
  })

  test('a node that is no longer the leader ends the log', async () => {
    double.reportLeader({ address: '127.0.0.1', port: 1 })
    await expect(log.head()).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(open().at(600)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await untilBroken(open())).error).toMatchObject({ code: 'store_unavailable' })
  })

  test('a position between events is refused', async () => {
    await writeEvents(1, 3)
    const pages = follow(log, (stored()[1] ?? 0) + 1)
    await expect(pages.next()).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe('a slow reader', () => {
  test('is not dropped, because facts wait in the buffer', async () => {
    await writeEvents(1, 1)
    const pages = follow()
    const first = await pages.next()
    const facts = [...(first.value?.facts ?? [])]
    // More facts than the connection buffers for a reader that takes none.
    const count = quickOrThorough({ quick: 400, thorough: 600 })
    const large = Array.from({ length: count }, () => storedFact({ x: 'x'.repeat(16_000) }))
    for (let n = 0; n < large.length; n += 8)
      await writer.store.append(addition('entity-a', ...large.slice(n, n + 8)))
    let longest = 0
    while (facts.length < count + 2) {
      const page = (await pages.next()).value?.facts ?? []
      facts.push(...page)
      longest = Math.max(longest, page.length)
    }
    expect(placesOf(facts)).toEqual(stored())
    expect(longest).toBeGreaterThan(200)
    await pages.return()
  })

  test('receives a long log completely, however far it lags', async () => {
    const appends = quickOrThorough({ quick: 1, thorough: 10 })
    for (let n = 0; n < appends; n += 1) {
      const facts = Array.from({ length: 500 }, () => storedFact())
      await writer.store.append(creation(`entity-${String(n)}`, ...facts))
    }
    const { facts } = await takeUntil(log, 0, (taken) => taken.facts.length === appends * 500)
    expect(placesOf(facts)).toEqual(stored())
  })
})

describe('the reported position', () => {
  test('is never beyond a fact that is not delivered yet', async () => {
    await writeEvents(1, 60)
    await appendBeside('order-1', ...others(200))
    await writeEvents(61, 100)
    // `takeUntil` throws when a fact arrives after its position was reported as passed.
    const { facts } = await takeUntil(log, 0, (taken) => taken.facts.length === 101)
    expect(placesOf(facts)).toEqual(stored())
    const rounds = quickOrThorough({ quick: 2, thorough: 5 })
    const taking = takeUntil(log, 0, (taken) => taken.facts.length === 101 + 20 * rounds)
    for (let from = 101; from <= 81 + 20 * rounds; from += 20)
      await Promise.all([
        writeEvents(from, from + 19),
        appendBeside(`order-${String(from)}`, ...others(100)),
      ])
    expect(placesOf((await taking).facts)).toEqual(stored())
  })

  test('waits for facts in a full queue, although checkpoints and "caught up" arrive earlier', async () => {
    const { before, beside, after } = quickOrThorough({
      quick: { before: 20, beside: 40, after: 10 },
      thorough: { before: 40, beside: 100, after: 20 },
    })
    await writeEvents(1, before)
    await appendBeside('order-1', ...others(beside))
    await writeEvents(before + 1, before + after)
    const amount = { facts: 4, characters: 1_000_000 }
    const tight = open(5_000, { full: amount, page: amount })
    const { end } = await log.head()
    let reached = 0
    const facts: LoggedFact[] = []
    for await (const page of tight.follow(0, new AbortController().signal)) {
      assertInOrder(page, reached)
      ;({ reached } = page)
      facts.push(...page.facts)
      if (reached >= end) break
      // Gives the remaining facts time to arrive in the connection while the queue is full.
      for (let turn = 0; turn < 5; turn += 1) await log.at(end)
    }
    expect(placesOf(facts)).toEqual(stored())
  })

  test('is the end of the log before the call, once everything up to it was delivered', async () => {
    await writeEvents(1, 50)
    await appendBeside('order-1', ...others(20))
    const before = await log.head()
    const held = holdSecondRead()
    const taking = takeUntil(log, 0, ({ reached }) => reached >= before.end)
    await held.reached
    await writeEvents(51, 60)
    held.release()
    const { facts, reached } = await taking
    expect(placesOf(facts)).toEqual(stored().slice(0, facts.length))
    expect(facts.length).toBeGreaterThanOrEqual(51)
    expect(placesOf(await factsAfter(log, reached))).toEqual(stored().slice(facts.length))
  })

  test('is reported for a log without facts of ours', async () => {
    const { newest, end } = await log.head()
    expect(await log.at(end)).toBeUndefined()
    expect(await takeUntil(log, 0, ({ reached }) => reached >= newest)).toEqual({
      facts: [],
      reached: end,
    })
  })
})

describe('the delivered facts', () => {
  test('include all our streams, and no others with similar names', async () => {
    const streams = ['entity-1', 'members-1', 'segments', 'dossier-clock']
    const notOurs = ['segments-1', 'dossier-clocks', 'entities', '$ours']
    for (const stream of [...streams, ...notOurs])
      await appendBeside(stream, jsonEvent({ type: 'EventRecorded', data: {}, metadata: {} }))
    const facts = await factsAfter(log, 0)
    expect(facts.map(({ stream }) => stream)).toEqual(streams)
  })

  test('include the facts of a deleted stream, but not its deletion', async () => {
    await writeEvents(1, 2)
    const client = EventStoreDBClient.connectionString(double.connectionString)
    await client.tombstoneStream('entity-a')
    await client.dispose()
    await writer.create('b')
    const facts = await factsAfter(log, 0)
    expect(facts.map(({ type }) => type)).toEqual([
      'EntityCreated',
      'EventRecorded',
      'EventRecorded',
      'EntityCreated',
    ])
  })

  const type = 'EventRecorded'
  const data = { name: 'login' }
  const unreadable: readonly (readonly [string, EventData])[] = [
    ['binary data', binaryEvent({ type, data: Buffer.from('{}'), metadata: {} })],
    ['data that is not an object', jsonEvent({ type, data: 'text', metadata: {} })],
    ['no metadata', jsonEvent({ type, data })],
    ['binary metadata', jsonEvent({ type, data, metadata: Buffer.from([1, 2]) })],
  ]

  test.each(unreadable)(
    'end before an unreadable one, with its location: %s',
    async (_what, event) => {
      await writeEvents(1, 2)
      await appendBeside('entity-a', event)
      await writer.record('a', 'never seen')
      const { facts, error } = await untilBroken()
      expect(facts).toHaveLength(3)
      expect(error).toBeInstanceOf(UnreadableFact)
      const place = stored()[3] ?? 0
      expect(error).toMatchObject({ message: expect.stringContaining(String(place)) as unknown })
      await expect(log.at(place)).rejects.toThrow(UnreadableFact)
      expect(await log.head()).toMatchObject({ newest: stored()[4] })
      expect(await factsAfter(log, place)).toHaveLength(1)
    },
  )

  test('have the stored JSON text, including white space', async () => {
    const text = { data: ' { "n" : 1.0 }\n', metadata: '{"schemaVersion": 1}' }
    await writer.store.append(creation('entity-a', { ...storedFact(), ...text }))
    const [fact] = await factsAfter(log, 0)
    expect(fact).toMatchObject(text)
    expect(await log.at(fact?.position ?? 0)).toEqual(fact)
  })

  test('exclude events that are neither JSON nor ours', async () => {
    const bytes = (what: string) => binaryEvent({ type: what, data: Buffer.from([1]) })
    await appendBeside('segments-1', bytes(type))
    await appendBeside('entity-a', bytes('Other'))
    await writer.create('b')
    expect(await factsAfter(log, 0)).toHaveLength(1)
  })
})

describe('a follower ends', () => {
  test.each([
    [
      'while the server does not report the end of its log',
      () => double.faults.hold('beforeRead', { rpc: 'read' }),
    ],
    ['while the server does not accept the call', holdSecondRead],
  ])('%s', async (_what, hold) => {
    const held = hold()
    const stopping = new AbortController()
    const next = follow(log, 0, stopping.signal).next()
    await held.reached
    stopping.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  test('when the log is closed while the server does not accept the call', async () => {
    const held = holdSecondRead()
    const broken = expect(follow().next()).rejects.toThrow('the fact log is closed')
    await held.reached
    await log.close()
    await broken
  })

  test('without leaving a connection open', async () => {
    await writeEvents(1, 2)
    await factsAfter(log, 0)
    const stopping = new AbortController()
    const pages = follow(log, 0, stopping.signal)
    await pages.next()
    stopping.abort()
    await pages.next()
    await log.close()
    await writer.close()
    while (double.connectionCount > 0) await new Promise(setImmediate)
    expect(double.connectionCount).toBe(0)
  })
})
