import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase, type Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { EntityChanges } from '../../../../../src/adapters/sqlite/read-model/entity-log/entity-changes.js'
import { EntityLogs } from '../../../../../src/adapters/sqlite/read-model/entity-log/entity-logs.js'
import { logTables } from '../../../../../src/adapters/sqlite/read-model/entity-log/log-blocks.js'
import {
  changeKind,
  creationKind,
} from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { toStored } from '../../../../../src/application/facts/fact-format.js'
import type { StoredFact } from '../../../../../src/application/facts/stored-fact.js'

let db: Database
beforeEach(() => {
  db = openDatabase(':memory:')
  db.exec(logTables)
})
afterEach(() => {
  db.close()
})

const entity = 1

/** The changes of one entity, each of one property, in memory. */
class Changes {
  private readonly names: string[] = []
  private readonly times: number[] = []
  private readonly facts = new Map<number, StoredFact>()
  private readonly logs: EntityLogs
  readonly changes: EntityChanges
  /** The number of facts that were read. */
  reads = 0

  constructor(database: Database) {
    this.logs = new EntityLogs(database)
    const stored = (positions: readonly number[]) => {
      this.reads += positions.length
      return new Map(
        positions.flatMap((position) => {
          const fact = this.facts.get(position)
          return fact === undefined ? [] : [[position, fact] as const]
        }),
      )
    }
    this.changes = new EntityChanges({
      facts: { stored },
      logs: this.logs,
      writeFacts: () => undefined,
    })
  }

  get position(): number {
    return this.names.length + 1
  }

  add(name: string, at: number): void {
    const { position } = this
    const kind = position === entity ? creationKind : changeKind
    this.names.push(name)
    this.times.push(at)
    this.logs.pending.add(entity, { position, kind, logTime: position, lagMs: 0, at })
    const data = { externalId: 'ada', set: { [name]: at }, unset: [], changedAt: iso }
    const fact = { id: `id ${String(position)}`, type: 'EntityPropertiesChanged', data } as const
    const stored = toStored(fact, { requestId: 'r', keyHash: undefined })
    // JSON can spell a name with escapes.
    const text = position % 3 === 0 ? stored.data.replace('"plan"', '"pl\\u0061n"') : stored.data
    this.facts.set(position, { ...stored, data: text })
  }

  next(name: string, after: number, position = this.position): number | undefined {
    return this.changes.nextOf([entity], name, after, position)
  }

  naiveNext(name: string, after: number, position = this.position): number | undefined {
    const wanted = this.times.filter(
      (at, index) => this.names[index] === name && at > after && index + 1 < position,
    )
    return wanted.length === 0 ? undefined : Math.min(...wanted)
  }
}

const iso = '2026-11-20T09:30:00.000Z'

describe('the next change of a property by own time', () => {
  it('is the one that a search of all changes finds, in any order of changes and searches', () => {
    const moment = fc.nat({ max: 60 })
    const name = fc.constantFrom('plan', 'plan', 'other', 'other', 'a"b', 'age')
    const steps = fc.array(
      fc.record({ name, at: moment, after: moment, back: fc.nat({ max: 40 }) }),
      {
        minLength: 30,
        maxLength: 90,
      },
    )
    fc.assert(
      fc.property(steps, (given) => {
        db.exec('DELETE FROM entity_logs; DELETE FROM log_blocks; DELETE FROM late_changes')
        const log = new Changes(db)
        const found: unknown[] = []
        const expected: unknown[] = []
        for (const { name: changed, at, after, back } of given) {
          log.add(changed, at)
          const position = back < 20 ? log.position : Math.max(1, log.position - back)
          for (const wanted of ['plan', 'age', 'a"b']) {
            found.push(log.next(wanted, after, position))
            expected.push(log.naiveNext(wanted, after, position))
          }
        }
        expect(found).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  it('is found without reading a gap again for each late change in the gap', () => {
    const log = new Changes(db)
    const changes = 2_000
    log.add('plan', 0)
    for (let at = 1; at <= changes; at += 1) log.add('other', at)
    log.add('plan', changes + 1)
    const late = 500
    for (let at = 1; at <= late; at += 1) {
      log.add('plan', at)
      log.add('other', at)
      expect(log.next('plan', at)).toBe(changes + 1)
    }
    // One search reads the gap. Each later search reads a few changes after its start, and the new changes.
    expect(log.reads).toBeGreaterThan(changes - 1)
    expect(log.reads).toBeLessThan(changes + 30 * late)
  })
})
