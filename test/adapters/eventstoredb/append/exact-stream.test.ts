import { setImmediate as immediate } from 'node:timers/promises'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { EventStoreDbEventStore } from '../../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import { noRevision } from '../../../../src/application/ports/exact-appends.js'
import { WrongRevision } from '../../../../src/application/ports/refusal.js'
import { exactAppendsContract } from '../../../contracts/exact-appends-contract.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { reasonsIn } from '../../../support/reasons-in.js'
import { storedFact } from '../../../support/stored-facts.js'
import { wholeStream } from '../../../support/whole-stream.js'
import { movedClock } from '../moved-clock.js'
import { asAnother, bench, closedPort, idsIn, longTimeoutMs, openStoreAt } from '../open-store.js'
import { appendBeside, removedStreams } from './removed-streams.js'

const server = process.env['ESDB_TEST_URL']
const describeServer = server === undefined ? describe.skip : describe

describe('expected revisions in EventStoreDB, over a double', () => {
  const doubles: EventStoreDouble[] = []

  afterAll(async () => {
    for (const double of doubles) await double.close()
  })

  exactAppendsContract(() => {
    let started: Promise<EventStoreDouble> | undefined
    return {
      open: async () => {
        started ??= EventStoreDouble.start()
        const double = await started
        if (!doubles.includes(double)) doubles.push(double)
        return openStoreAt(double.connectionString)
      },
      keepsItsFacts: true,
    }
  })
  removedStreams(async () => {
    const double = await EventStoreDouble.start()
    doubles.push(double)
    return double.connectionString
  })
})

describeServer('expected revisions in EventStoreDB, over the server in ESDB_TEST_URL', () => {
  exactAppendsContract(() => ({
    open: () => Promise.resolve(openStoreAt(server ?? '')),
    keepsItsFacts: true,
  }))
  removedStreams(() => Promise.resolve(server ?? ''))
})

describe('an append at an expected revision', () => {
  const { start, open } = bench()
  const clock = movedClock()
  const stream = 'members-a'
  let double: EventStoreDouble
  let store: EventStoreDbEventStore

  beforeEach(async () => {
    double = await start()
    store = open(double.connectionString)
    await store.appendAt({ stream, revision: noRevision, facts: [storedFact()] })
  })

  const facts = () => [storedFact({ n: 1 }), storedFact({ n: 2 })]
  const found = async () => (await wholeStream(store, stream, 1)).map(({ id }) => id)

  it.each([
    ['drop', 'beforeRead', false],
    ['drop', 'afterWrite', true],
    ['commit-timeout', 'beforeWrite', false],
    ['commit-timeout', 'afterWrite', true],
    ['no position', 'afterWrite', true],
  ] as const)(
    'has an unknown outcome after a fault (%s, %s), is not repeated, and a read shows its outcome',
    async (fault, at, isThere) => {
      if (fault === 'drop') double.faults.drop(at)
      else if (fault === 'no position') double.faults.hidePosition()
      else double.faults.refuse(fault, {}, at)
      const sent = facts()
      const ids = sent.map(({ id }) => id)
      await expect(store.appendAt({ stream, revision: 0, facts: sent })).rejects.toMatchObject({
        code: 'outcome_unknown',
      })
      expect(await found()).toEqual(isThere ? ids : [])
      const next = storedFact({ n: 3 })
      const again = store.appendAt({ stream, revision: 0, facts: [next] })
      if (isThere) await expect(again).rejects.toEqual(new WrongRevision(2))
      else expect(await again).toMatchObject({ revision: 1 })
      expect(await found()).toEqual(isThere ? ids : [next.id])
    },
  )

  it('that is stored after its timeout wins over a later one at its revision', async () => {
    const gate = double.faults.hold('beforeWrite')
    const late = facts()
    const sent = store.appendAt({ stream, revision: 0, facts: late })
    await Promise.all([
      expect(sent).rejects.toMatchObject({ code: 'outcome_unknown' }),
      gate.reached.then(() => {
        clock.advance(longTimeoutMs)
      }),
    ])
    expect(await found()).toEqual([])
    gate.release()
    const end = performance.now() + 20_000
    while (idsIn(double, stream).length < 3 && performance.now() < end) await immediate()
    const other = store.appendAt({ stream, revision: 0, facts: facts() })
    await expect(other).rejects.toEqual(new WrongRevision(2))
    expect(await found()).toEqual(late.map(({ id }) => id))
  })

  it('is certainly not stored when no server is running, without a read', async () => {
    const { port } = await closedPort()
    const away = open(`esdb://127.0.0.1:${String(port)}?tls=false`)
    for (const revision of [noRevision, 3]) {
      await expect(away.appendAt({ stream, revision, facts: facts() })).rejects.toMatchObject({
        code: 'store_unavailable',
      })
    }
    await expect(away.readStream(stream, 0)).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  it("ends in time when the check of a new stream's metadata hangs", async () => {
    const hasty = open(double.connectionString, 300)
    double.faults.hold('beforeRead', { rpc: 'read', times: 2 })
    const append = { stream: 'members-new', revision: noRevision, facts: facts() }
    await expect(hasty.appendAt(append)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(hasty.readStream(stream, 0)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(idsIn(double, 'members-new')).toEqual([])
  })

  it('of two processes is stored once, in each of many rounds', async () => {
    const stores = [store, open(double.connectionString), open(double.connectionString)]
    const rounds = quickOrThorough({ quick: 8, thorough: 30 })
    for (let revision = 0; revision < rounds; revision += 1) {
      const results = await Promise.allSettled(
        stores.map((one) => one.appendAt({ stream, revision, facts: [storedFact()] })),
      )
      const failed = reasonsIn(results)
      expect(failed).toEqual([new WrongRevision(revision + 1), new WrongRevision(revision + 1)])
    }
    expect(idsIn(double, stream)).toHaveLength(rounds + 1)
  })

  it('has an unknown outcome when the stream was deleted between the check and the write', async () => {
    await store.appendAt({ stream: 'members-b', revision: noRevision, facts: facts() })
    const gate = double.faults.hold('beforeWrite', { stream: 'members-c' })
    const begun = store.appendAt({ stream: 'members-c', revision: noRevision, facts: facts() })
    await gate.reached
    await asAnother(double, async (client: EventStoreDBClient) => {
      await appendBeside(client, 'members-c', 3)
      await client.deleteStream('members-c')
    })
    gate.release()
    await expect(begun).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(store.readStream('members-c', 0)).rejects.toMatchObject({ code: 'stream_removed' })
  })
})
