import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase } from '../../../../src/adapters/sqlite/file/driver.js'
import { EntityIds } from '../../../../src/adapters/sqlite/read-model/entity-ids.js'
import { EntityLogs } from '../../../../src/adapters/sqlite/read-model/entity-log/entity-logs.js'
import { creationKind } from '../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import type { FactReader } from '../../../../src/adapters/sqlite/file/fact-reader.js'
import { profileProjection } from '../../../../src/adapters/sqlite/read-model/profile-projection.js'
import { LogTimes } from '../../../../src/adapters/sqlite/read-model/log-times.js'
import { segmentTables } from '../../../../src/adapters/sqlite/read-model/segments/segment-tables.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import { createEntity } from '../../../../src/domain/entity.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

const numRuns = quickOrThorough({ quick: 10, thorough: 500 })
const now = new Date(0)
const context = { requestId: 'test', keyHash: undefined }

/** A fact of the log, and by how much the fact moves log time. `other` means a fact of a stream that is not ours. */
interface Step {
  readonly what: 'entity' | 'time' | 'other'
  readonly gap: number
  readonly passes: number
}

interface Placed {
  readonly position: number
  readonly logTime: number
  readonly what: Step['what']
}

const runs: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      what: fc.constantFrom('entity' as const, 'time' as const, 'other' as const),
      gap: fc.constantFrom(1, 1, 2, 7, 1_000),
      passes: fc.constantFrom(0, 0, 1, 2, 60_000),
      times: fc.constantFrom(1, 1, 2, 12),
    }),
    { maxLength: 8 },
  )
  .map((given) => given.flatMap(({ times, ...step }) => Array.from({ length: times }, () => step)))

it('finds the last position whose log time is at most an instant', () => {
  fc.assert(
    fc.property(runs, (steps) => {
      const placed = place(steps)
      const { logTimes, close } = over(placed)
      const kept = placed.filter(({ what }) => what !== 'other')
      const head = placed.at(-1) ?? { position: 0, logTime: 0 }
      try {
        const instants = placed.flatMap(({ logTime: at }) => [at - 1, at, at + 1])
        for (const instant of new Set(instants)) {
          const found = logTimes.until(instant, { position: head.position, logTime: head.logTime })
          const expected =
            head.logTime <= instant ? head : kept.findLast(({ logTime }) => logTime <= instant)
          expect({ instant, ...found }).toEqual({
            instant,
            position: expected?.position ?? 0,
            logTime: expected?.logTime ?? 0,
          })
        }
      } finally {
        close()
      }
    }),
    { numRuns },
  )
})

it('reads few facts of a long log that consists mostly of TimePassed', () => {
  const placed = place(
    Array.from({ length: 20_000 }, (_, at) => ({
      what: at % 1_000 === 0 ? ('entity' as const) : ('time' as const),
      gap: 100,
      passes: at % 3,
    })),
  )
  const { logTimes, reads, close } = over(placed)
  const head = placed.at(-1) ?? { position: 0, logTime: 0 }
  try {
    for (const { logTime } of placed.filter((_, at) => at % 1_999 === 0)) {
      const before = reads()
      logTimes.until(logTime, head)
      expect(reads() - before).toBeLessThanOrEqual(22)
    }
    expect(logTimes.until(0, head)).toEqual({ position: 100, logTime: 0 })
    expect(logTimes.until(-1, head)).toEqual({ position: 0, logTime: 0 })
    expect(logTimes.until(0, { position: 0, logTime: 0 })).toEqual({ position: 0, logTime: 0 })
  } finally {
    close()
  }
})

function place(steps: readonly Step[]): readonly Placed[] {
  let position = 0
  let logTime = 0
  return steps.map(({ what, gap, passes }) => {
    position += gap
    // Facts of other programs do not move log time.
    if (what !== 'other') logTime += passes
    return { position, logTime, what }
  })
}

/** `LogTimes` over tables as the projections fill them, and the number of facts that it has read. */
function over(placed: readonly Placed[]) {
  const db = openDatabase(':memory:')
  db.exec(profileProjection.tables)
  db.exec(segmentTables)
  db.exec("INSERT INTO entities VALUES (1, 'ada', 'id', 0, 0, NULL, 0, '{}', 0, NULL, NULL)")
  const other = db.prepare('INSERT INTO other_facts VALUES (?, ?, NULL)')
  const logs = new EntityLogs(db)
  db.exec('BEGIN')
  for (const { position, logTime, what } of placed) {
    const entry = { position, kind: creationKind, logTime, lagMs: 0, at: logTime }
    if (what === 'entity') logs.pending.add(1, entry)
    if (what === 'time') other.run(position, logTime)
  }
  logs.pending.write()
  db.exec('COMMIT')
  let reads = 0
  const facts: Pick<FactReader, 'page'> = {
    page: (after, until) => {
      reads += 1
      const next = placed[firstAfter(placed, after)]
      return next === undefined || next.position > until ? [] : [loggedAt(next)]
    },
  }
  return {
    logTimes: new LogTimes({ db, facts, ids: new EntityIds(db), logs }),
    reads: () => reads,
    close: () => {
      db.close()
    },
  }
}

function firstAfter(placed: readonly Placed[], position: number): number {
  let from = 0
  let to = placed.length
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if ((placed[middle]?.position ?? 0) > position) to = middle
    else from = middle + 1
  }
  return from
}

function loggedAt({ position, what }: Placed): LoggedFact {
  const id = String(position)
  if (what === 'entity') {
    const [fact] = createEntity({ factId: id, externalId: 'ada', properties: {}, now }).facts
    return { position, stream: 'entity-ada', ...toStored(fact, context) }
  }
  const fact = { id, type: 'TimePassed' as const, data: { now: now.toISOString() } }
  const logged = { position, stream: 'dossier-clock', ...toStored(fact, context) }
  return what === 'time' ? logged : { ...logged, stream: 'another', type: 'SomethingElse' }
}
