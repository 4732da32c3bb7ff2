import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe, expect, it, jest } from '@jest/globals'
import { isRefused } from '../../../../src/application/ports/refusal.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import type { ServerRefusal } from '../../../support/eventstoredb/faults.js'
import { quickOrThorough, itThoroughly } from '../../../support/thoroughness.js'
import { addition, creation, keyed } from '../../../support/stored-facts.js'
import {
  countOf,
  expectOnce,
  expectTruth,
  isPassing,
  mixedAppends,
  prepareStreams,
  sendAll,
} from './load.js'
import { movedClock } from '../moved-clock.js'
import { bench, closedPort, clusterUrl, idsIn, lead, longTimeoutMs } from '../open-store.js'

// The test runner fails a test with an unhandled rejection.

const { start, open } = bench()
const clock = movedClock()
/** The number of concurrent appends, and of those that meet a fault. */
const { inFlight, struck } = quickOrThorough({
  quick: { inFlight: 45, struck: 20 },
  thorough: { inFlight: 300, struck: 50 },
})

describe('with many appends in flight', () => {
  type Strike = (double: EventStoreDouble, settled: (count: number) => Promise<void>) => unknown

  const refuse =
    (refusal: ServerRefusal, at: 'beforeWrite' | 'afterWrite' = 'beforeWrite'): Strike =>
    ({ faults }) => {
      faults.refuse(refusal, { times: struck }, at)
    }

  /** `errors.test.ts` has a cheaper test for each of these faults. */
  const alsoFound: readonly [string, Strike][] = [
    [
      'connections cut before the write',
      ({ faults }) => {
        faults.drop('beforeWrite', { times: 5 })
      },
    ],
    [
      'successes without a position',
      ({ faults }) => {
        faults.hidePosition({ times: struck })
      },
    ],
    ['refusals of a server that is not ready', refuse('server-not-ready')],
    ['errors after the write', refuse('unknown-error', 'afterWrite')],
    [
      'a restart',
      async (double) => {
        await midWay(double)
        await double.restart()
      },
    ],
  ]

  it.each([
    [
      'connections cut after the write',
      ({ faults }) => {
        faults.drop('afterWrite', { times: 5 })
      },
    ],
    ['commit time-outs of what is stored', refuse('commit-timeout', 'afterWrite')],
    [
      'a restart that loses uncommitted events',
      async (double) => {
        await midWay(double)
        await double.restart({ uncommitted: 'lose' })
      },
    ],
    [
      'a server outage',
      async (double, settled) => {
        await midWay(double)
        await double.refuseConnections()
        double.faults.clear()
        await settled(inFlight / 3)
        await double.listen()
      },
    ],
    ...quickOrThorough({ quick: [], thorough: alsoFound }),
  ] satisfies [string, Strike][])(
    '%s lose nothing, duplicate nothing and give no wrong answer',
    async (_, strike) => {
      const double = await start()
      const store = open(double.connectionString)
      await prepareStreams(store)
      const flight = sendAll(store, mixedAppends(inFlight))
      await strike(double, (count) => flight.settled(count))
      const sent = await flight.all
      expect(countOf(sent, 'receipt')).toBeLessThan(inFlight)
      double.faults.clear()
      await expectOnce(store, double, sent)
      expectTruth(double, sent)
    },
  )

  // A request that was not read looks to its sender like a connection that was cut before the write. So only
  // thorough runs test that step.
  const stalls = quickOrThorough({
    quick: ['beforeWrite', 'afterWrite'] as const,
    thorough: ['beforeRead', 'beforeWrite', 'afterWrite'] as const,
  })
  it.each(stalls)(
    'a stall %s beyond the deadline has an unknown outcome, and a later write is found',
    async (at) => {
      const double = await start()
      const store = open(double.connectionString)
      await prepareStreams(store)
      const gate = double.faults.hold(at, { times: Infinity })
      const { all } = sendAll(open(double.connectionString), mixedAppends(inFlight))
      await gate.reached
      clock.advance(longTimeoutMs)
      const sent = await all
      expect(countOf(sent, 'receipt')).toBe(0)
      expect(countOf(sent, 'unknown')).toBeGreaterThan(inFlight / 2)
      double.faults.clear()
      gate.release()
      await expectOnce(store, double, sent)
      expectTruth(double, sent)
    },
  )

  it('commits after their timeout are found', async () => {
    const double = await start({ commitTimeoutMs: 100 })
    const store = open(double.connectionString)
    await prepareStreams(store)
    const held = double.holdCommits()
    const sent = await sendAll(open(double.connectionString, 700), mixedAppends(inFlight)).all
    expect(countOf(sent, 'receipt')).toBe(0)
    const before = double.records().length
    held.release()
    await expectOnce(store, double, sent)
    expectTruth(double, sent)
    expect(double.records().length).toBeGreaterThan(before + inFlight / 2)
  })

  it('a close waits for all appends and accepts no more', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await prepareStreams(store)
    const flight = sendAll(store, mixedAppends(inFlight))
    await flight.settled(10)
    const closed = store.close()
    await expect(store.append(creation('entity-late'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await closed
    const sent = await flight.all
    expect(countOf(sent, 'receipt')).toBe(inFlight)
    expectTruth(double, sent)
    expect(idsIn(double, 'entity-late')).toEqual([])
  })
})

describe('a server', () => {
  it('can start after the store was opened', async () => {
    const { port } = await closedPort()
    const store = open(`esdb://127.0.0.1:${String(port)}?tls=false`)
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    const double = await start({ port })
    const receipt = await untilTaken(() => store.append(creation('entity-a')))
    await expect(store.check()).resolves.toBeUndefined()
    expect(idsIn(double, 'entity-a')).toEqual(receipt.facts.map(({ id }) => id))
  })

  it('can stop and start again', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    await double.refuseConnections()
    await untilRefused(() => store.append(addition('entity-a')))
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.append(keyed(addition('entity-a'), 'k'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await double.listen()
    await untilTaken(() => store.append(addition('entity-a')))
    await expect(store.check()).resolves.toBeUndefined()
    expect(idsIn(double, 'entity-a')).toHaveLength(2)
  })

  it('can move to another host', async () => {
    const [before, after] = [await start(), await start()]
    const store = open(clusterUrl(before, after))
    lead(before, before, after)
    await store.append(creation('entity-a'))
    await before.refuseConnections()
    lead(after, before, after)
    await untilTaken(() => store.append(creation('entity-a')))
    expect(idsIn(after, 'entity-a')).toHaveLength(1)
  })

  // The quick test is in the suite of open connections, which also counts the remaining ones.
  itThoroughly('that hangs is replaced by the new leader', async () => {
    const [frozen, next] = [await start(), await start()]
    const store = open(clusterUrl(frozen, next), 1_500)
    lead(frozen, frozen, next)
    await store.append(creation('entity-a'))
    frozen.faults.hold('beforeRead', { times: Infinity })
    lead(next, frozen, next)
    await expect(store.append(creation('entity-b'))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    await store.append(creation('entity-b'))
    expect(idsIn(next, 'entity-b')).toHaveLength(1)
    expect(idsIn(frozen, 'entity-b')).toHaveLength(0)
  })

  it('is kept when only some appends had a short timeout', async () => {
    const [double, other] = [await start(), await start()]
    lead(double, double, other)
    const store = open(clusterUrl(double, other), 50)
    await untilTaken(() => store.append(keyed(creation('entity-a'), 'k')))
    const met = jest.spyOn(double.faults, 'meet')
    const gate = double.faults.hold('beforeWrite', { times: 3, stream: 'entity-slow' })
    for (let n = 0; n < 3; n += 1)
      await expect(store.append(creation('entity-slow'))).rejects.toMatchObject({
        code: 'outcome_unknown',
      })
    gate.release()
    await untilTaken(() => store.append(addition('entity-a')))
    expect(met.mock.calls.filter(([rpc]) => rpc === 'gossip')).toEqual([])
  })

  it('that disappears during its last answers ends no process', async () => {
    const double = await start()
    const store = open(clusterUrl(double, await closedPort()))
    await store.append(creation('entity-a'))
    const [first, second] = ['entity-b', 'entity-c'].map((stream) => {
      const gate = double.faults.hold('beforeRead', { stream })
      double.faults.refuse('server-not-ready', { stream })
      return {
        gate,
        refused: expect(store.append(creation(stream))).rejects.toMatchObject({
          code: 'store_unavailable',
        }),
      }
    })
    if (first === undefined || second === undefined) throw new Error('two were sent')
    await Promise.all([first.gate.reached, second.gate.reached])
    first.gate.release()
    await first.refused
    double.reportMembers([])
    const gossip = double.faults.hold('beforeRead', { rpc: 'gossip' })
    const third = expect(store.append(creation('entity-d'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await gossip.reached
    second.gate.release()
    await second.refused
    gossip.release()
    await third
    double.reportMembers(undefined)
    await store.append(creation('entity-d'))
  })
})

describe('readiness', () => {
  it('is checked by a read while writes succeed, and stores nothing', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'stream_exists',
    })
    await store.check()
    expect(idsIn(double, 'dossier-probe')).toEqual([])
  })

  it.each(['no-leader-info', 'server-not-ready', 'access-denied'] satisfies ServerRefusal[])(
    'fails for a server that answers %s',
    async (refusal) => {
      const double = await start()
      const store = open(double.connectionString)
      double.faults.refuse(refusal, { rpc: 'read' })
      await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(store.check()).resolves.toBeUndefined()
    },
  )

  it('fails for a server that hangs', async () => {
    const double = await start()
    const store = open(
      double.connectionString,
      quickOrThorough({ quick: 300, thorough: longTimeoutMs }),
    )
    double.faults.hold('beforeRead', { rpc: 'read', times: Infinity })
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it.each(['commit-timeout', 'server-not-ready'] satisfies ServerRefusal[])(
    'is checked by a write after an append that failed with %s, until one is stored',
    async (refusal) => {
      const double = await start()
      const store = open(double.connectionString)
      await store.append(creation('entity-a'))
      double.faults.refuse(refusal, { times: 2 })
      await expect(store.append(addition('entity-a'))).rejects.toThrow()
      await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
      await store.check()
      expect(idsIn(double, 'dossier-probe')).toHaveLength(1)
      await store.check()
      expect(idsIn(double, 'dossier-probe')).toHaveLength(1)
    },
  )

  it('is not proven by an append that was refused because of its stream', async () => {
    const double = await start()
    const store = open(double.connectionString)
    await store.append(creation('entity-a'))
    double.faults.refuse('commit-timeout', { times: 2 })
    await expect(store.append(addition('entity-a'))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
      code: 'stream_exists',
    })
    double.faults.refuse('commit-timeout')
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe('keyed appends to one stream', () => {
  it('that wait for an unanswered append are certainly not stored, except its repeats, whose outcome is unknown', async () => {
    const double = await start()
    await open(double.connectionString).append(creation('entity-a'))
    double.faults.hold('beforeWrite', { times: Infinity })
    const store = open(double.connectionString, 500)
    const sent = await sendAll(store, [
      keyed(addition('entity-a'), 'k'),
      keyed(addition('entity-a'), 'k'),
      keyed(addition('entity-a'), 'l'),
    ]).all
    const reasons = sent.map(({ result }): unknown =>
      result.status === 'rejected' ? result.reason : undefined,
    )
    expect(reasons[0]).toMatchObject({ code: 'outcome_unknown' })
    expect(reasons[1]).toMatchObject({ code: 'outcome_unknown' })
    expect(reasons[2]).toMatchObject({ code: 'store_unavailable' })
  })
})

describe('a process', () => {
  it('ends by itself after a close, with answers outstanding', async () => {
    const double = await start()
    double.faults.hold('beforeWrite', { stream: 'entity-b' })
    double.faults.hold('beforeRead', { rpc: 'read', times: Infinity })
    const module = resolve('dist/adapters/eventstoredb')
    const script = `
      import { EventStoreDbEventStore } from '${module}/append/eventstoredb-event-store.js'
      import { parseConnectionUrl } from '${module}/client/connection-url.js'
      const log = { info() {}, warn() {}, error() {} }
      const url = parseConnectionUrl('${double.connectionString}')
      const store = new EventStoreDbEventStore({ url, timeoutMs: 1500, log })
      const fact = (id) => ({ id: crypto.randomUUID(), type: 't', data: '{}', metadata: '{}' })
      const send = (stream) => store.append({ stream, expected: 'new', facts: [fact()] })
      await send('entity-a')
      const said = await Promise.all([
        send('entity-b').catch(({ code }) => code),
        store.check().catch(({ code }) => code),
      ])
      await store.close()
      console.log(said.join())`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number]
    expect({ code, said }).toEqual({ code: 0, said: 'outcome_unknown,store_unavailable\n' })
  })
})

/** Resolves when some appends wait to be written and some wait for their answers. */
async function midWay({ faults }: EventStoreDouble): Promise<void> {
  const times = quickOrThorough({ quick: 20, thorough: 40 })
  const before = faults.hold('beforeWrite', { times })
  const after = faults.hold('afterWrite', { times })
  await Promise.all([before.reached, after.reached])
}

async function untilTaken<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!isPassing(error)) throw error
    }
  }
}

/** Repeats a request until it is refused. The first attempts may be in flight when the connection is cut. */
async function untilRefused(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send()
    } catch (error) {
      if (isRefused(error, 'store_unavailable')) return
    }
  }
}
