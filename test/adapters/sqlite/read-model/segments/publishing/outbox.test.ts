import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase } from '../../../../../../src/adapters/sqlite/file/driver.js'
import {
  Outbox,
  type OutboxRow,
} from '../../../../../../src/adapters/sqlite/read-model/segments/publishing/outbox.js'
import { profileProjection } from '../../../../../../src/adapters/sqlite/read-model/profile-projection.js'
import { segmentTables } from '../../../../../../src/adapters/sqlite/read-model/segments/segment-tables.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'

const numRuns = quickOrThorough({ quick: 15, thorough: 500 })
const segment = 7
const entities = 3
const idOf = (entity: number) => `id-${String(entity)}`

type Step =
  | { readonly what: 'add'; readonly times: number; readonly back: number; readonly entity: number }
  | { readonly what: 'take' | 'until'; readonly times: number }
  | { readonly what: 'remove'; readonly place: number }
  | { readonly what: 'reopen' }

const times = fc.constantFrom(1, 2, 30, 250)
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('add' as const),
      times,
      back: fc.constantFrom(0, 0, 0, 1, 40, 300),
      entity: fc.nat({ max: entities - 1 }),
    }),
    fc.record({ what: fc.constantFrom('take' as const, 'until' as const), times }),
    fc.record({ what: fc.constant('remove' as const), place: fc.nat({ max: 300 }) }),
    fc.record({ what: fc.constant('reopen' as const) }),
  ),
  { maxLength: 12 },
)

it('returns the first changes in order after any additions and removals', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(1, 3, 200, 500), (given, most) => {
      const run = new Run()
      try {
        for (const step of given) {
          run.take(step)
          run.compare(most)
        }
      } finally {
        run.close()
      }
    }),
    { numRuns },
  )
})

/** An outbox, and a sorted list with the same rows to compare it with. */
class Run {
  private readonly db = openDatabase(':memory:')
  private rows: Outbox
  private list: OutboxRow[] = []
  private now = 1_000

  constructor() {
    this.db.exec(profileProjection.tables)
    this.db.exec(segmentTables)
    const insert = this.db.prepare(
      "INSERT INTO entities VALUES (?, ?, ?, 0, 0, NULL, 0, '{}', 0, NULL, NULL)",
    )
    for (let n = 0; n < entities; n += 1) insert.run(n, `e-${String(n)}`, idOf(n))
    this.rows = new Outbox(this.db)
  }

  take(step: Step): void {
    switch (step.what) {
      case 'add':
        for (let n = 0; n < step.times; n += 1) this.add(step.back, step.entity)
        return
      case 'take':
        for (let n = 0; n < step.times; n += 1) this.remove(this.rows.first(segment))
        return
      case 'until': {
        const at = this.list[step.times]
        if (at === undefined) return
        this.rows.removeUntil(segment, { logTime: at.at, position: at.position })
        this.list = this.list.slice(step.times + 1)
        return
      }
      case 'remove':
        this.remove(this.rows.upTo(segment, undefined, 500)[step.place])
        return
      case 'reopen':
        this.rows.write()
        this.rows = new Outbox(this.db)
    }
  }

  compare(most: number): void {
    expect(this.rows.count(segment)).toBe(this.list.length)
    expect(this.rows.first(segment)).toEqual(this.list[0])
    expect(this.rows.upTo(segment, undefined, most)).toEqual(this.list.slice(0, most))
    const middle = this.list[Math.floor(this.list.length / 2)]
    if (middle === undefined) return
    const until = { logTime: middle.at, position: middle.position, factId: '' }
    const before = this.list.slice(0, this.list.indexOf(middle) + 1)
    expect(this.rows.upTo(segment, until, most)).toEqual(before.slice(0, most))
  }

  close(): void {
    this.db.close()
  }

  /** Adds a change that is `back` milliseconds earlier than the newest change. All changes have different places. */
  private add(back: number, entity: number): void {
    this.now += 1
    const cause = { kind: 'event' as const, factId: `fact-${String(this.now)}` }
    const at = this.now - back
    const row = { at, position: this.now, entity, entityId: idOf(entity), enters: true, cause }
    this.rows.add(segment, row)
    this.list.push(row)
    this.list.sort((left, right) => left.at - right.at || left.position - right.position)
  }

  private remove(row: OutboxRow | undefined): void {
    if (row === undefined) return
    this.rows.remove(segment, row)
    this.list = this.list.filter(({ position }) => position !== row.position)
  }
}
