import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import { toStored } from '../../../src/application/facts/fact-format.js'
import { CheckpointComparison } from '../../../src/application/reading/checkpoint-comparison.js'
import { RunningProjections } from '../../../src/application/reading/run-projections.js'
import type { ErasureFact } from '../../../src/domain/erasures.js'
import { silentLog } from '../../support/silent-log.js'
import { TroubledLog } from '../../support/troubled-log.js'

const at = '2026-11-20T09:30:00.000Z'
const start = { checkpoint: { position: 0, id: '' }, checkpointEntity: undefined }
const erasures = 500

/** A log that counts what is read of the stream `erasures`. */
class CountingLog extends TroubledLog {
  read = 0

  override async readStream(stream: string, from: number) {
    const page = await this.store.readStream(stream, from)
    this.read += page.length
    return page
  }
}

const idOf = (kind: number, n: number) =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`

/** An erasure that was asked for, and whose facts are removed. */
async function erase(store: MemoryEventStore, n: number): Promise<void> {
  const [erasureId, entityId] = [idOf(1, n), idOf(2, n)]
  const recorded = { entityId, suppress: true, recipients: [], at }
  const closedAt = { at, position: String(n + 1) }
  const removed = { erasureId, entityId, closedAt, facts: {}, keys: 0, memberships: 0, at }
  const facts: readonly ErasureFact[] = [
    { id: erasureId, type: 'EntityErasureRecorded', data: recorded },
    { id: idOf(3, n), type: 'ErasedFactsRemoved', data: removed },
  ]
  const metadata = { requestId: 'r', keyHash: undefined }
  await store.appendAt({
    stream: 'erasures',
    revision: 2 * n - 1,
    facts: facts.map((fact) => toStored(fact, metadata)),
  })
}

let log: CountingLog
let closing: (() => Promise<void>) | undefined

beforeEach(async () => {
  log = new CountingLog(new MemoryEventStore())
  for (let n = 0; n < erasures; n += 1) await erase(log.store, n)
})

afterEach(() => closing?.())

it('reads what the store knows of erasures once, and after a break what is new', async () => {
  const comparison = new CheckpointComparison()
  expect((await comparison.compare(log, start)).erasures).toHaveLength(erasures)
  log.read = 0
  for (let breaks = 0; breaks < 10; breaks += 1) await comparison.compare(log, start)
  expect(log.read).toBeLessThan(30)
  await erase(log.store, erasures)
  const { erasures: all } = await comparison.compare(log, start)
  expect(all).toHaveLength(erasures + 1)
  expect(all.at(-1)).toEqual({ entityId: idOf(2, erasures), removedUpTo: erasures + 1, clock: [] })
})

it('reads all again where the store was restored from an older copy, and went on otherwise', async () => {
  const comparison = new CheckpointComparison()
  await comparison.compare(log, start)
  log.store = new MemoryEventStore()
  expect((await comparison.compare(log, start)).erasures).toEqual([])
  await erase(log.store, 0)
  expect((await comparison.compare(log, start)).erasures).toHaveLength(1)
})

it('tells the read model of erasures a little at a time', async () => {
  const projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
  })
  const told: number[] = []
  const foresee = projections.foresee.bind(projections)
  projections.foresee = (some) => {
    told.push(some.length)
    foresee(some)
  }
  const model = new RunningProjections(log, projections, { log: silentLog, gatherMs: 0, pause })
  closing = () => model.close()
  model.start()
  await model.query('factAt', { position: 0 }, { position: 'head', waitMs: 20_000 })
  expect(told.reduce((left, right) => left + right)).toBe(erasures)
  expect(Math.max(...told)).toBeLessThanOrEqual(50)
})
