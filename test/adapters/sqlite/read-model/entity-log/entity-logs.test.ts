import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase, type Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { valueOf } from '../../../../../src/adapters/sqlite/file/schema.js'
import { EntityLogs } from '../../../../../src/adapters/sqlite/read-model/entity-log/entity-logs.js'
import { logTables } from '../../../../../src/adapters/sqlite/read-model/entity-log/log-blocks.js'
import type { NewEntry } from '../../../../../src/adapters/sqlite/read-model/entity-log/pending-entries.js'
import {
  changeKind,
  creationKind,
  firstEventKind,
  otherKind,
  voidKind,
} from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'

const numRuns = quickOrThorough({ quick: 3, thorough: 100 })

let db: Database
beforeEach(() => {
  db = emptyTables()
})
afterEach(() => {
  db.close()
})

function emptyTables(): Database {
  const empty = openDatabase(':memory:')
  empty.exec(logTables)
  return empty
}

/** Runs of equal entries, so that some blocks have no events and some have only late events. */
const runsOfEntries = fc.array(
  fc.record({
    kind: fc.constantFrom(changeKind, otherKind, voidKind, firstEventKind, firstEventKind + 1),
    times: fc.constantFrom(1, 1, 1, 3, 70, 150),
    passes: fc.constantFrom(0, 0, 1, 1_000),
    /** The difference between the own time of an event or change and the previous one in the run. */
    step: fc.constantFrom(0, 0, 1, 1, -1, -50),
    /** The own time of the first event or change in the run. */
    from: fc.integer({ min: -100, max: 100 }),
    gap: fc.constantFrom(1, 3),
  }),
  { maxLength: 12 },
)

type Runs = typeof runsOfEntries extends fc.Arbitrary<infer T> ? T : never

/** Returns the entries of one entity, beginning with its creation. */
function logOf(runs: Runs, first: number): readonly NewEntry[] {
  let position = first
  let logTime = 0
  const log = [{ position, kind: creationKind, logTime, lagMs: 0, at: 0 }]
  for (const { kind, times, passes, step, from, gap } of runs) {
    for (let n = 0; n < times; n += 1) {
      position += gap
      logTime += passes
      const lagMs = n % 3
      const at = kind === otherKind || kind === voidKind ? logTime : from + n * step
      log.push({ position, kind, logTime, lagMs, at })
    }
  }
  return log
}

function inOwnTime(log: readonly NewEntry[], isListed: (entry: NewEntry) => boolean) {
  return ownTimes(log.filter(isListed)).sort(
    (left, right) => left.at - right.at || left.position - right.position,
  )
}

function ownTimes(events: Iterable<Pick<NewEntry, 'at' | 'position' | 'kind'>>) {
  return [...events].map(({ at, position, kind }) => ({ at, position, kind }))
}

/** Returns the entries without the members that are computed when they are appended. */
function plain(entries: Iterable<NewEntry>) {
  return [...entries].map(({ position, kind, logTime, lagMs, at }) => ({
    position,
    kind,
    logTime,
    lagMs,
    at,
  }))
}

const ada = 1
const bob = 2

describe('The logs of entities', () => {
  it('return the entries that a plain list would return, from any place on, written or not.', () => {
    const written = fc.array(fc.nat(200), { maxLength: 4 })
    const looks = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(runsOfEntries, runsOfEntries, written, looks, (one, other, writes, places) => {
        const tables = emptyTables()
        try {
          const logs = new EntityLogs(tables)
          const adas = logOf(one, ada)
          const bobs = logOf(other, bob)
          append(logs, ada, adas, writes)
          append(logs, bob, bobs, writes)
          // The first read of an entity writes its pending entries.
          for (const read of [logs, new EntityLogs(tables)]) {
            compare(read, ada, adas, places)
            compare(read, bob, bobs, places)
            const both = [...adas, ...bobs].sort((left, right) => left.position - right.position)
            expect(plain(read.afterAll([ada, bob], 0))).toEqual(both)
          }
        } finally {
          tables.close()
        }
      }),
      { numRuns },
    )
  })
})

/** `writes` contains the numbers of the entries after which all entries are written. */
function append(
  logs: EntityLogs,
  entity: number,
  log: readonly NewEntry[],
  writes: readonly number[],
): void {
  for (const [n, entry] of log.entries()) {
    logs.pending.add(entity, entry)
    if (writes.includes(n)) logs.pending.write()
  }
}

/** Compares every kind of list from several places on. */
function compare(
  logs: EntityLogs,
  entity: number,
  log: readonly NewEntry[],
  places: readonly number[],
): void {
  const events = inOwnTime(log, ({ kind }) => kind >= firstEventKind)
  const changes = inOwnTime(log, ({ kind }) => kind <= changeKind)
  for (const place of places) {
    const position = log[place % log.length]?.position ?? 0
    for (const near of [position - 1, position, position + 1]) compareAt(logs, entity, log, near)
    compareByOwnTime('events', logs, entity, events, place)
    compareByOwnTime('changes', logs, entity, changes, place)
  }
}

function compareAt(
  logs: EntityLogs,
  entity: number,
  log: readonly NewEntry[],
  position: number,
): void {
  const before = log.filter((entry) => entry.position < position).reverse()
  const after = log.filter((entry) => entry.position > position)
  const its = log.find((entry) => entry.position === position)
  expect(plain(logs.after(entity, position))).toEqual(after)
  expect(plain(logs.before(entity, position))).toEqual(before)
  const isChange = ({ kind }: NewEntry) => kind <= changeKind
  expect(plain(logs.changesBefore(entity, position))).toEqual(before.filter(isChange))
  expect(plain(logs.changesAfter(entity, position))).toEqual(after.filter(isChange))
  expect(logs.countUntil(entity, position)).toBe(log.length - after.length)
  expect(logs.at(entity, position)?.logTime).toBe(its?.logTime)
  for (const logTime of [0, 1].map((later) => (its?.logTime ?? -1) + later)) {
    const since = log.find((entry) => entry.logTime >= logTime)
    expect(logs.firstSince(entity, logTime)).toBe(since?.position)
  }
}

function compareByOwnTime(
  which: 'events' | 'changes',
  logs: EntityLogs,
  entity: number,
  events: ReturnType<typeof inOwnTime>,
  place: number,
): void {
  const [first = { at: 0, position: 0 }] = events
  const event = events[place % (events.length + 1)] ?? first
  const end = events[(place * 7) % (events.length + 1)]?.at ?? 0
  for (const after of [event, { ...event, position: 0 }, { ...event, position: Infinity }]) {
    expect(ownTimes(logs.byOwnTime(which, entity, 'asc', { after, end }))).toEqual(
      events.filter((one) => isBehind(one, after) && one.at < end),
    )
    expect(ownTimes(logs.byOwnTime(which, entity, 'desc', { after, end }))).toEqual(
      events.filter((one) => isBehind(after, one) && one.at >= end).reverse(),
    )
  }
}

type OwnTime = Pick<NewEntry, 'at' | 'position'>

function isBehind(one: OwnTime, other: OwnTime): boolean {
  return one.at > other.at || (one.at === other.at && one.position > other.position)
}

describe('The log of an entity with many facts', () => {
  const facts = 16_000
  const middle = 8_010
  const tail = { at: Infinity, position: Infinity }

  function fill(kindOf: (n: number) => number, atOf: (n: number) => number): EntityLogs {
    const logs = new EntityLogs(db)
    db.exec('BEGIN')
    for (let n = 1; n <= facts; n += 1) {
      const kind = n === 1 ? creationKind : kindOf(n)
      logs.pending.add(ada, {
        position: n,
        kind,
        logTime: n,
        lagMs: 0,
        at: kind < firstEventKind ? n : atOf(n),
      })
    }
    logs.pending.write()
    db.exec('COMMIT')
    return logs
  }

  /** Damages all other blocks, so that a list that reads one of them fails. */
  function leaveBlocks(...numbers: readonly number[]): void {
    db.exec(`UPDATE log_blocks SET entries = x'ff' WHERE number NOT IN (${numbers.join(', ')})`)
  }

  const firstOf = <T>(list: Iterator<T, undefined>) => list.next().value

  it('is read from its middle without the blocks before and after.', () => {
    const logs = fill(
      () => firstEventKind,
      (n) => n,
    )
    const block = Math.floor((middle - 1) / 64)
    leaveBlocks(block)
    const cursor = { at: middle, position: middle }
    expect(firstOf(logs.after(ada, middle - 1))?.position).toBe(middle)
    expect(firstOf(logs.before(ada, middle + 1))?.position).toBe(middle)
    expect(logs.at(ada, middle - 1)?.logTime).toBe(middle - 1)
    expect(logs.countUntil(ada, middle - 1)).toBe(middle - 1)
    const asc = { after: { ...cursor, position: 0 }, end: Infinity }
    expect(firstOf(logs.byOwnTime('events', ada, 'asc', asc))?.position).toBe(middle)
    const desc = { after: cursor, end: -Infinity }
    expect(firstOf(logs.byOwnTime('events', ada, 'desc', desc))?.position).toBe(middle - 1)
  })

  it('returns the history without reading blocks that contain only events.', () => {
    const logs = fill(
      () => firstEventKind,
      (n) => n,
    )
    leaveBlocks(0)
    expect([...logs.changesBefore(ada, Infinity)].map(({ position }) => position)).toEqual([1])
  })

  it('returns events by time of occurrence without reading blocks that contain only late events.', () => {
    const logs = fill(
      () => firstEventKind,
      (n) => (n === 2 || n === facts - 64 ? facts * n : n),
    )
    const blocks = Number(valueOf(db, 'SELECT count(*) FROM log_blocks'))
    leaveBlocks(0, blocks - 1, blocks - 2)
    const latest = logs.byOwnTime('events', ada, 'desc', { after: tail, end: -Infinity })
    expect([firstOf(latest), firstOf(latest), firstOf(latest)].map((one) => one?.position)).toEqual(
      [facts - 64, 2, facts],
    )
    const after = { at: facts - 1, position: facts }
    const rising = logs.byOwnTime('events', ada, 'asc', { after, end: Infinity })
    expect([...rising].map(({ position }) => position)).toEqual([facts, 2, facts - 64])
  })
})
