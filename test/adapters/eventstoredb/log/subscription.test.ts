import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { factTable } from '../../../../src/application/facts/fact-table.js'
import { FactSubscription, type Position } from '../../../../src/subscription.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { FactWriter } from '../../../support/fact-writer.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { FollowedFacts } from '../../../support/followed-facts.js'
import { asAnother } from '../open-store.js'

type Options = Omit<ConstructorParameters<typeof FollowedFacts>[0], 'url'>

let double: EventStoreDouble
let writer: FactWriter
let opened: FollowedFacts[]

beforeEach(async () => {
  opened = []
  double = await EventStoreDouble.start()
  writer = new FactWriter(double.connectionString)
})

afterEach(async () => {
  await Promise.all(opened.map((followed) => followed.stop()))
  await writer.close()
  await double.close()
})

function follow(options: Options = {}): FollowedFacts {
  const followed = new FollowedFacts({ url: double.connectionString, ...options })
  opened.push(followed)
  return followed
}

/** Creates entity `a` and records events up to number `count`. Returns their names. */
async function writeEvents(count: number, from = 1): Promise<readonly string[]> {
  if (from === 1) await writer.create('a')
  const names = Array.from({ length: count }, (_, index) => String(from + index))
  for (const name of names) await writer.record('a', name)
  return from === 1 ? ['[a]', ...names] : names
}

async function appendElsewhere(stream: string, count: number): Promise<void> {
  const client = EventStoreDBClient.connectionString(double.connectionString)
  const events = Array.from({ length: count }, () => jsonEvent({ type: 'Other', data: {} }))
  await client.appendToStream(stream, events)
  await client.dispose()
}

/** Returns a promise and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

function positionOf(commit: bigint): Position {
  return { commit, prepare: commit }
}

describe('a subscription delivers', () => {
  test('every fact of every entity, typed and in order, and nothing of other streams', async () => {
    await writeEvents(2)
    await appendElsewhere('order-1', 3)
    await writer.create('b')
    const followed = follow()
    await followed.until(({ facts }) => facts.length === 4)
    await writer.record('b', 'live')
    await followed.until(({ facts }) => facts.length === 5)
    expect(followed.names).toEqual(['[a]', '1', '2', '[b]', 'live'])
    expect(followed.facts[4]).toMatchObject({
      type: 'EventRecorded',
      data: { entityExternalId: 'b', name: 'live', properties: {} },
    })
    expect(followed.positions.map(({ commit }) => commit)).toEqual(
      double
        .records()
        .filter(({ stream }) => stream.startsWith('entity-'))
        .map(({ position }) => position),
    )
  })

  test('facts of all our streams, and none of streams with similar names', async () => {
    const client = EventStoreDBClient.connectionString(double.connectionString)
    await client.appendToStream('segments-1', jsonEvent({ type: 'EventRecorded', data: {} }))
    const change = jsonEvent({ type: 'MembersCounted', data: {}, metadata: { schemaVersion: 1 } })
    await client.appendToStream('members-1', change)
    await client.dispose()
    await writer.create('a')
    const followed = follow()
    await followed.until(({ facts }) => facts.length === 1)
    expect(followed.unknown.map(({ stream }) => stream)).toEqual(['members-1'])
  })

  test('the facts after a checkpoint, without the fact at the checkpoint', async () => {
    await writeEvents(5)
    const first = follow()
    await first.until(({ facts }) => facts.length === 6)
    const followed = follow({ after: first.positions[2] })
    await followed.until(({ facts }) => facts.length === 3)
    expect(followed.names).toEqual(['3', '4', '5'])
    const atTheHead = follow({ after: first.positions[5] })
    await atTheHead.until(({ caughtUp }) => caughtUp === 1)
    await writer.record('a', '6')
    await atTheHead.until(({ facts }) => facts.length === 1)
    expect(atTheHead.names).toEqual(['6'])
  })

  test('all facts after a checkpoint whose fact a scavenge removed', async () => {
    await writeEvents(2)
    for (const name of ['b', 'c']) await writer.create(name)
    const before = follow()
    await before.until(({ facts }) => facts.length === 5)
    await asAnother(double, (client) => client.tombstoneStream('entity-a'))
    double.scavenge()
    for (const after of before.positions.slice(0, 3)) {
      const followed = follow({ after })
      await followed.until(({ facts }) => facts.length === 2)
      expect(followed.names).toEqual(['[b]', '[c]'])
    }
    await writer.record('b', 'live')
    await before.until(({ facts }) => facts.length === 6)
  })

  test('one fact at a time, after the handler is done with the previous one', async () => {
    const names = await writeEvents(50)
    let underWay = 0
    let most = 0
    const followed = follow({
      handle: async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await new Promise(setImmediate)
        underWay -= 1
      },
    })
    await followed.until(({ facts }) => facts.length === names.length)
    expect(most).toBe(1)
    expect(followed.names).toEqual(names)
  })

  test('"caught up" after all stored facts were processed, also for an empty store', async () => {
    const empty = follow()
    await empty.until(({ caughtUp }) => caughtUp === 1)
    const names = await writeEvents(quickOrThorough({ quick: 40, thorough: 100 }))
    const seen: number[] = []
    const followed = follow({
      handle: () => new Promise(setImmediate),
      caughtUp: () => {
        seen.push(followed.facts.length)
      },
    })
    await followed.until(({ facts }) => facts.length === names.length)
    double.dropSubscriptions()
    await followed.until(({ breaks }) => breaks.length === 1)
    await writer.record('a', 'more')
    await followed.until(({ facts }) => facts.length === names.length + 1)
    expect(seen[0]).toBe(names.length)
  })

  test('no events of unknown types, which it counts and reports', async () => {
    await writeEvents(1)
    const type = 'EntityRenamed'
    const id = await writer.appendRaw('entity-a', { type, data: '{}', metadata: '{}' })
    await writer.record('a', '2')
    const followed = follow()
    await followed.until(({ facts }) => facts.length === 3)
    expect(followed.names).toEqual(['[a]', '1', '2'])
    expect(followed.subscription.passedOver).toBe(1)
    const position = double.records('entity-a')[2]?.position
    expect(followed.unknown).toEqual([
      { id, type, stream: 'entity-a', position: { commit: position, prepare: position } },
    ])
  })
})

describe('a subscription resumes after', () => {
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

  test.each(faults)('%s, without losing or repeating a fact', async (_what, strike) => {
    const expected = [...(await writeEvents(40))]
    const followed = follow({ handle: () => new Promise(setImmediate) })
    const rounds = quickOrThorough({ quick: 2, thorough: 5 })
    for (let round = 0; round < rounds; round += 1) {
      await followed.until(({ facts }) => facts.length >= 10 * (round + 1))
      await strike()
      await followed.until(({ breaks }) => breaks.length > round)
      expected.push(...(await writeEvents(8, 41 + round * 8)))
    }
    await followed.until(({ facts }) => facts.length >= expected.length)
    expect(followed.names).toEqual(expected)
    expect(new Set(followed.facts.map(({ id }) => id)).size).toBe(expected.length)
  })

  test('a server outage', async () => {
    const expected = [...(await writeEvents(3))]
    const followed = follow()
    await followed.until(({ facts }) => facts.length === 4)
    await double.refuseConnections()
    await followed.until(({ breaks }) => breaks.length >= 4)
    await double.listen()
    expected.push(...(await writeEvents(3, 4)))
    await followed.until(({ facts }) => facts.length === expected.length)
    expect(followed.names).toEqual(expected)
  })

  test('an unreachable server at the start', async () => {
    await double.refuseConnections()
    const followed = follow()
    await followed.until(({ breaks }) => breaks.length >= 3)
    await double.listen()
    const expected = await writeEvents(2)
    await followed.until(({ facts }) => facts.length === expected.length)
    expect(followed.names).toEqual(expected)
  })

  test('a burst while its handler is busy: the server drops it, and every fact arrives once', async () => {
    await writer.create('a')
    const held = gate()
    const followed = follow({ handle: () => held.passed })
    const filling = 'x'.repeat(16_000)
    const names = Array.from({ length: 400 }, (_, index) => String(index))
    for (let start = 0; start < names.length; start += 40)
      await Promise.all(
        names.slice(start, start + 40).map((name) => writer.record('a', name, filling)),
      )
    held.open()
    await followed.until(({ facts }) => facts.length === 401)
    expect(followed.breaks[0]?.reason).toMatch('Consumer too slow')
    const stored = double.records('entity-a').map(({ id }) => id)
    expect(followed.facts.map(({ id }) => id)).toEqual(stored)
  })

  test('a server that accepts the call and never answers it', async () => {
    const expected = await writeEvents(2)
    const held = double.faults.hold('beforeRead', { rpc: 'read' })
    const followed = follow({ timeoutMs: 300 })
    await held.reached
    await followed.until(({ facts }) => facts.length === expected.length)
    expect(followed.breaks).toEqual([{ reason: 'no answer in time', pauseMs: 100 }])
    expect(followed.names).toEqual(expected)
  })

  test('a server that never reports the end of its log', async () => {
    const names = await writeEvents(3)
    const first = follow()
    await first.until(({ facts }) => facts.length === names.length)
    const held = double.faults.hold('beforeRead', { rpc: 'read' })
    const followed = follow({ timeoutMs: 300, after: first.positions[1] })
    await held.reached
    await followed.until(({ facts }) => facts.length === 2)
    expect(followed.breaks).toHaveLength(1)
  })

  test('pauses that grow to 5 seconds and start again after a success', async () => {
    await writeEvents(1)
    const followed = follow()
    await followed.until(({ facts }) => facts.length === 2)
    await double.refuseConnections()
    await followed.until(({ breaks }) => breaks.length >= 8)
    const growing = followed.breaks.map(({ pauseMs }) => pauseMs)
    await double.listen()
    await writer.record('a', '2')
    await followed.until(({ facts }) => facts.length === 3)
    const before = followed.breaks.length
    double.dropSubscriptions()
    await followed.until(({ breaks }) => breaks.length > before)
    expect(growing.slice(0, 8)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
    expect(followed.breaks[before]?.pauseMs).toBe(100)
  })
})

describe('a subscription refuses', () => {
  test('a checkpoint beyond the end of the log, because the server was replaced', async () => {
    await writeEvents(2)
    const head = double.records().at(-1)?.position ?? 0n
    const followed = follow({ after: positionOf(head + 10_000n) })
    expect(await followed.ended).toMatchObject({
      code: 'checkpoint_beyond_head',
      message: expect.stringContaining('rebuild it from the first fact') as unknown,
      checkpoint: positionOf(head + 10_000n),
      head: positionOf(head),
    })
    // A new leader may briefly report an old end of the log, so the subscription asks again first.
    expect(followed.breaks).toHaveLength(4)
    expect(followed.facts).toEqual([])
  })

  test('a server that is replaced during an outage, after two seconds of refusals', async () => {
    const names = await writeEvents(20)
    const followed = follow()
    await followed.until(({ facts }) => facts.length === names.length)
    const { port } = double
    await double.close()
    await followed.until(({ breaks }) => breaks.at(-1)?.pauseMs === 5_000)
    double = await EventStoreDouble.start({ port })
    expect(await followed.ended).toMatchObject({ code: 'checkpoint_beyond_head' })
    const pauses = followed.breaks.slice(-4).map(({ pauseMs }) => pauseMs)
    expect(pauses).toEqual([500, 500, 500, 500])
  })

  test('only a lasting loss: a log that is briefly shorter is awaited', async () => {
    await writeEvents(2)
    const [, one, two] = double.records('entity-a').map(({ position }) => position)
    const commits = double.holdCommits()
    const late = writer.record('a', '3')
    const followed = follow({
      after: positionOf((two ?? 0n) + ((two ?? 0n) - (one ?? 0n))),
      wait: () => {
        commits.release()
        return late
      },
    })
    await late
    await writer.record('a', '4')
    await followed.until(({ facts }) => facts.length === 1)
    expect(followed.names).toEqual(['4'])
    expect(followed.breaks).toMatchObject([{ reason: expect.stringMatching('beyond the head') }])
  })

  test('a checkpoint between facts, because it belongs to another log', async () => {
    await writeEvents(3)
    const place = double.records('entity-a')[1]?.position ?? 0n
    const followed = follow({ after: positionOf(place + 1n) })
    expect(await followed.ended).toMatchObject({ code: 'checkpoint_unknown' })
    expect(followed.facts).toEqual([])
  })

  test('a fact of a newer schema version, before processing it', async () => {
    const { version } = factTable.EventRecorded
    await writeEvents(1)
    const id = await writer.appendRaw('entity-a', {
      type: 'EventRecorded',
      data: '{}',
      metadata: JSON.stringify({ schemaVersion: version + 1, $correlationId: 'r' }),
    })
    await writer.record('a', 'never seen')
    const followed = follow()
    expect(await followed.ended).toMatchObject({
      code: 'newer_schema_version',
      message: expect.stringMatching(
        `${id} .*has schema version ${String(version + 1)}.*reads up to ${String(version)}`,
      ) as unknown,
    })
    expect(followed.names).toEqual(['[a]', '1'])
    expect(followed.subscription.position).toEqual(followed.positions[1])
  })

  test.each([
    ['data', JSON.stringify({ schemaVersion: 1, $correlationId: 'r' })],
    ['metadata', '{}'],
  ])(
    'a fact whose %s does not match its version, before processing it',
    async (_what, metadata) => {
      await writeEvents(1)
      await writer.appendRaw('entity-a', { type: 'EventRecorded', data: '{"name":1}', metadata })
      const followed = follow()
      expect(await followed.ended).toMatchObject({ code: 'unreadable_fact' })
      expect(followed.names).toEqual(['[a]', '1'])
    },
  )

  test('an event of our type that has no metadata or is not JSON', async () => {
    const client = EventStoreDBClient.connectionString(double.connectionString)
    await client.appendToStream('entity-x', jsonEvent({ type: 'EntityCreated', data: {} }))
    expect(await follow().ended).toMatchObject({ code: 'unreadable_fact' })
    const after = positionOf(double.records().at(-1)?.position ?? 0n)
    const binary = {
      id: randomUUID(),
      contentType: 'application/octet-stream' as const,
      type: 'EventRecorded',
      data: new Uint8Array([1]),
      metadata: { schemaVersion: 1 },
    }
    await client.appendToStream('entity-x', binary)
    expect(await follow({ after }).ended).toMatchObject({ code: 'unreadable_fact' })
    await client.dispose()
  })

  test('a user who may not read $all', async () => {
    double.faults.refuse('access-denied', { rpc: 'read' })
    expect(await follow().ended).toMatchObject({ code: 'subscription_denied' })
  })

  test('an invalid connection string, and a second run', async () => {
    expect(() => new FollowedFacts({ url: 'http://127.0.0.1' })).toThrow(TypeError)
    await expect(follow().subscription.run()).rejects.toThrow(TypeError)
  })
})

describe('a failing handler', () => {
  test.each(['thrown', 'rejected'])(
    '%s: the subscription stops there and reports the failure',
    async (how) => {
      await writeEvents(4)
      const cause = new Error('the disk is full')
      const calls: string[] = []
      const followed = follow({
        handle: (fact) => {
          calls.push(fact.type)
          if (calls.length < 3) return
          if (how === 'thrown') throw cause
          return Promise.reject(cause)
        },
      })
      expect(await followed.ended).toMatchObject({ code: 'handler_failed', cause })
      expect(calls).toHaveLength(3)
      expect(followed.names).toEqual(['[a]', '1'])
      expect(followed.subscription.position).toEqual(followed.positions[1])
      const again = follow({ after: followed.subscription.position })
      await again.until(({ facts }) => facts.length === 3)
      expect(again.names).toEqual(['2', '3', '4'])
    },
  )

  test('also when it is another function', async () => {
    const fail = () => {
      throw new Error('out of order')
    }
    expect(await follow({ caughtUp: fail }).ended).toMatchObject({ code: 'handler_failed' })
    await double.refuseConnections()
    expect(await follow({ interrupted: fail }).ended).toMatchObject({ code: 'handler_failed' })
  })
})

describe('checkpoints without facts', () => {
  test('are reported, and resuming from one skips foreign events', async () => {
    const followed = follow()
    await followed.until(({ caughtUp }) => caughtUp === 1)
    await appendElsewhere('order-1', 100)
    await followed.until(({ reached }) => reached.length > 0)
    await writeEvents(1)
    await followed.until(({ facts }) => facts.length === 2)
    const elsewhere = double.records('order-1').map(({ position }) => position)
    for (const { commit } of followed.reached) expect(elsewhere).toContain(commit)
    const resumed = follow({ after: followed.reached[0] })
    await resumed.until(({ facts }) => facts.length === 2)
    expect(resumed.names).toEqual(['[a]', '1'])
  })

  test('are reported only when every earlier fact is processed', async () => {
    await writeEvents(5)
    await appendElsewhere('order-1', 200)
    await writeEvents(5, 6)
    const wrong: bigint[] = []
    const facts = () => double.records('entity-a').map(({ position }) => position)
    const followed = follow({
      handle: () => new Promise(setImmediate),
      reached: ({ commit }) => {
        const processed = new Set(followed.positions.map((position) => position.commit))
        wrong.push(...facts().filter((place) => place <= commit && !processed.has(place)))
      },
    })
    await followed.until(({ facts: { length } }) => length === 11)
    const rounds = quickOrThorough({ quick: 2, thorough: 5 })
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all([
        writeEvents(20, 11 + 20 * round),
        appendElsewhere(`o-${String(round)}`, 70),
      ])
    }
    const all = 11 + 20 * rounds
    await followed.until(({ facts: { length }, reached }) => length === all && reached.length > 1)
    expect(wrong).toEqual([])
  })
})

describe('position and lag', () => {
  test('report the progress, and the distance to the end', async () => {
    await writeEvents(3)
    const places = double.records('entity-a').map(({ position }) => position)
    const held = gate()
    const followed = follow({
      handle: ({ data }) => ('name' in data && data.name === '2' ? held.passed : undefined),
    })
    await followed.until(({ facts }) => facts.length === 2)
    const head = positionOf(places[3] ?? 0n)
    const position = positionOf(places[1] ?? 0n)
    const bytes = head.commit - position.commit
    expect(await followed.subscription.lag()).toEqual({ position, head, bytes })
    held.open()
    await followed.until(({ facts }) => facts.length === 4)
    expect(await followed.subscription.lag()).toEqual({ position: head, head, bytes: 0n })
    await double.refuseConnections()
    await expect(followed.subscription.lag()).rejects.toMatchObject({ type: 'unavailable' })
  })
})

describe('a subscription stops', () => {
  test('while it waits for facts', async () => {
    const followed = follow()
    await followed.until(({ caughtUp }) => caughtUp === 1)
    expect(await followed.stop()).toBeUndefined()
  })

  test('before it has started', async () => {
    const followed = follow({ signal: AbortSignal.abort() })
    expect(await followed.ended).toBeUndefined()
  })

  test('after the running handler has finished, and its fact counts', async () => {
    const names = await writeEvents(2)
    const held = gate()
    const entered = gate()
    const followed = follow({
      handle: () => {
        entered.open()
        return held.passed
      },
    })
    await entered.passed
    const stopped = followed.stop()
    held.open()
    expect(await stopped).toBeUndefined()
    expect(followed.names).toEqual(names.slice(0, 1))
    expect(followed.subscription.position).toEqual(followed.positions[0])
  })

  test('without a failure when a handler throws because of the signal', async () => {
    await writeEvents(1)
    const stopping = new AbortController()
    const followed = follow({
      signal: stopping.signal,
      handle: () => {
        stopping.abort()
        throw new Error('broken off')
      },
    })
    expect(await followed.ended).toBeUndefined()
    expect(followed.subscription.position).toBeUndefined()
  })

  test('during a pause of any length', async () => {
    await double.refuseConnections()
    const followed = follow({ wait: () => new Promise(() => undefined) })
    await followed.until(({ breaks }) => breaks.length === 1)
    expect(await followed.stop()).toBeUndefined()
  })

  test("during a pause without a test's own timer", async () => {
    await double.refuseConnections()
    const stopping = new AbortController()
    const subscription = new FactSubscription({
      url: double.connectionString,
      after: undefined,
      signal: stopping.signal,
      handle: () => undefined,
      interrupted: () => {
        setImmediate(() => {
          stopping.abort()
        })
      },
    })
    await expect(subscription.run()).resolves.toBeUndefined()
  })

  test('while it waits for the server', async () => {
    const held = double.faults.hold('beforeRead', { rpc: 'read' })
    const followed = follow({ timeoutMs: 3_600_000 })
    await held.reached
    expect(await followed.stop()).toBeUndefined()
  })
})
