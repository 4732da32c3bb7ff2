import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase, type Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { EntityLogs } from '../../../../../src/adapters/sqlite/read-model/entity-log/entity-logs.js'
import { logTables } from '../../../../../src/adapters/sqlite/read-model/entity-log/log-blocks.js'
import {
  NewestEvents,
  type NewestSearch,
} from '../../../../../src/adapters/sqlite/read-model/entity-log/newest-events.js'
import {
  creationKind,
  firstEventKind,
  voidKind,
} from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'

const numRuns = quickOrThorough({ quick: 10, thorough: 500 })
const entity = 1
const at = Date.UTC(2026, 10, 20)

interface LoggedEvent {
  readonly position: number
  readonly at: number
  readonly kind: number
  /** The position of the void. Infinity when there is none. */
  voidedBy: number
}

/** The log of one entity, whose events are also kept in a list. */
class VoidedLog {
  readonly logs: EntityLogs
  readonly newest: NewestEvents
  readonly events: LoggedEvent[] = []
  position = 0
  /** The number of events that a search has looked up in the list of voided events. */
  lookups = 0

  constructor(db: Database) {
    db.exec(logTables)
    const logs = new EntityLogs(db)
    this.logs = logs
    const { voids } = logs
    this.newest = new NewestEvents({
      after: (...range) => logs.after(...range),
      byOwnTime: (...range) => logs.byOwnTime(...range),
      voids: {
        has: (...event) => {
          this.lookups += 1
          return voids.has(...event)
        },
      },
    })
    this.add(creationKind, at)
  }

  private add(kind: number, ownTime: number): number {
    const position = (this.position += 1)
    const logTime = at + position
    this.logs.pending.add(entity, { position, kind, logTime, lagMs: 0, at: ownTime })
    return position
  }

  record(ownTime: number, kind = firstEventKind): void {
    this.events.push({ position: this.add(kind, ownTime), at: ownTime, kind, voidedBy: Infinity })
  }

  void(event: LoggedEvent): void {
    event.voidedBy = this.add(voidKind, at)
    this.logs.void(entity, event, { position: event.voidedBy, at })
  }

  found(search: NewestSearch, most: number): readonly number[] {
    const positions: number[] = []
    for (const { position } of this.newest.of(entity, search)) {
      positions.push(position)
      if (positions.length === most) break
    }
    return positions
  }

  expected({ kind, until, position }: NewestSearch, most: number): readonly number[] {
    return this.events
      .filter((event) => event.position <= position && event.voidedBy > position)
      .filter((event) => event.at <= until && (kind ?? event.kind) === event.kind)
      .sort((left, right) => right.at - left.at || right.position - left.position)
      .slice(0, most)
      .map((event) => event.position)
  }
}

let db: Database
let log: VoidedLog
beforeEach(() => {
  db = openDatabase(':memory:')
  log = new VoidedLog(db)
})
afterEach(() => {
  db.close()
})

describe('the newest events', () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom('record', 'void newest', 'void newest', 'void newest', 'void any'),
      times: fc.constantFrom(1, 1, 5, 20),
      ownTime: fc.constantFrom(0, 0, 0, 1, -1),
      kind: fc.constantFrom(firstEventKind, firstEventKind, firstEventKind + 1),
      pick: fc.nat(),
      /** The number of facts between the end of the search and the latest fact. */
      back: fc.constantFrom(0, 0, 0, 7),
      isOfKind: fc.boolean(),
      until: fc.constantFrom(0, 0, 1, -1),
      most: fc.constantFrom(1, 1, 3, Infinity),
    }),
    { minLength: 5, maxLength: 40 },
  )

  it('are those of a list of all events without the voided ones', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const own = openDatabase(':memory:')
        const random = new VoidedLog(own)
        for (let n = 0; n < 60; n += 1) random.record(at)
        for (const { what, times, ownTime, kind, pick, back, isOfKind, until, most } of all) {
          for (let n = 0; n < times; n += 1) {
            const left = random.events.filter(({ voidedBy }) => voidedBy === Infinity)
            const event = what === 'void newest' ? left.at(-1) : left[pick % (left.length || 1)]
            if (what === 'record') random.record(at + ownTime, kind)
            else if (event !== undefined) random.void(event)
            const search = {
              kind: isOfKind ? kind : undefined,
              until: at + until,
              position: random.position - back,
            }
            expect(random.found(search, most)).toEqual(random.expected(search, most))
          }
        }
        own.close()
      }),
      { numRuns },
    )
  })

  it('are found without looking at all voided events again, while the events of one instant are voided', () => {
    const many = 500
    for (let n = 0; n < many; n += 1) log.record(at)
    for (const event of log.events.toReversed()) {
      log.void(event)
      const search = { kind: firstEventKind, until: at, position: log.position }
      expect(log.found(search, 1)).toEqual(log.expected(search, 1))
    }
    expect(log.lookups).toBeLessThan(20 * many)
  })
})
