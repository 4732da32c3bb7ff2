import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  changeProperties,
  createEntity,
  meaningOfChange,
  meaningOfCreation,
} from '../../src/domain/entity.js'
import { ownTimeOf, type EntityFact, type PropertyChange } from '../../src/domain/facts.js'
import type { Json } from '../../src/domain/json.js'
import { applyChange, ProfileFold } from '../../src/domain/profile.js'
import { PropertyTimes, type ChangeAt } from '../../src/domain/property-times.js'

const now = Date.UTC(2026, 0)
const names = ['plan', 'age', '__proto__', 'constructor']
const moment = fc.integer({ min: -4, max: 4 })

const changes = fc.array(
  fc.record({
    set: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
    unset: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
    own: fc.option(moment, { nil: undefined }),
    lag: fc.nat({ max: 2 }),
  }),
  { maxLength: 12 },
)

interface PlacedFact {
  readonly fact: EntityFact
  readonly logTime: number
}

/** Returns the facts of an entity in position order. The first is its creation. */
function factsOf(
  given: typeof changes extends fc.Arbitrary<infer T> ? T : never,
): readonly PlacedFact[] {
  let logTime = 0
  return given.map(({ set, unset, own, lag }, index) => {
    const recordedAt = now + index - lag
    logTime = Math.max(logTime, recordedAt)
    const common = {
      factId: String(index),
      externalId: 'ada',
      now: new Date(recordedAt),
      occurredAt: own === undefined ? undefined : new Date(now + own),
    }
    const properties = Object.fromEntries(set.map((name) => [name, index]))
    const fact =
      index === 0
        ? meaningOfCreation(createEntity({ ...common, properties }).facts[0]).entity
        : meaningOfChange(changeProperties({ ...common, set: properties, unset }).facts[0]).entity
    if (fact === undefined) throw new Error('the fact is about no entity')
    return { fact, logTime }
  })
}

function changeOf({ effect }: EntityFact): PropertyChange {
  return effect.kind === 'created' || effect.kind === 'properties' ? effect : { set: {}, unset: [] }
}

/** Returns the properties after the facts, sorted by own time. Equal own times stay in position order. */
function naive(facts: readonly PlacedFact[], asOf: number): ReadonlyMap<string, Json> {
  const properties = new Map<string, Json>()
  const ordered = facts
    .map(({ fact, logTime }) => ({ fact, at: ownTimeOf(fact, logTime) }))
    .filter(({ at }) => at <= asOf)
    .toSorted((left, right) => left.at - right.at)
  for (const { fact } of ordered) applyChange(properties, changeOf(fact))
  return properties
}

const sorted = (properties: ReadonlyMap<string, Json>) =>
  [...properties].toSorted(([left], [right]) => (left < right ? -1 : 1))

describe('the properties of an entity', () => {
  it('are those of a fold by own time, as of any instant', () => {
    fc.assert(
      fc.property(changes, fc.option(moment, { nil: undefined }), (given, bound) => {
        const facts = factsOf(given)
        const asOf = bound === undefined ? Infinity : now + bound
        const fold = new ProfileFold(asOf)
        for (const { fact, logTime } of facts) fold.add(fact, logTime)
        const found = new Map(Object.entries(fold.profile?.properties ?? {}))
        expect(sorted(found)).toEqual(sorted(naive(facts, asOf)))
      }),
    )
  })

  it('are the same when each change is decided from the kept own times and the log', () => {
    fc.assert(
      fc.property(changes, fc.nat({ max: 3 }), fc.nat({ max: 5 }), (given, every, inOrder) => {
        const log: ChangeAt[] = []
        const properties = new Map<string, Json>()
        let times: PropertyTimes | undefined
        const facts = factsOf(given)
        facts.forEach(({ fact, logTime }, index) => {
          const placed = { at: ownTimeOf(fact, logTime), change: changeOf(fact) }
          const latest = Math.max(...log.map(({ at }) => at))
          // The first late change, or an earlier one, begins to keep times.
          if (placed.at < latest || (index > 0 && index === inOrder)) {
            times ??= PropertyTimes.afterChangesInOrder(latest)
          }
          if (times !== undefined) searchLog(times, log, placed)
          applyChange(properties, times?.add(placed) ?? placed.change)
          log.push(placed)
          // The times are stored and read again at some places.
          if (index % (every + 1) === 0) times &&= new PropertyTimes(times.toStored())
        })
        expect(sorted(properties)).toEqual(sorted(naive(facts, Infinity)))
      }),
    )
  })
})

/** Lets a late change search a log, and returns the number of changes that the search read. */
function searchLog(times: PropertyTimes, log: readonly ChangeAt[], placed: ChangeAt): number {
  const search = times.search(placed)
  if (search === undefined) return 0
  const newestFirst = log
    .filter(({ at }) => at <= search.from)
    .toReversed()
    .toSorted((left, right) => right.at - left.at)
  let read = 0
  for (const earlier of newestFirst) {
    if (earlier.at <= placed.at) break
    read += 1
    if (search.take(earlier)) return read
  }
  search.endAt(placed.at)
  return read
}

describe('the search of a late change in the log', () => {
  const set = (name: string, at: number) => ({ at, change: { set: { [name]: at }, unset: [] } })
  const unset = (name: string, at: number) => ({ at, change: { set: {}, unset: [name] } })

  function addLate(times: PropertyTimes, log: ChangeAt[], placed: ChangeAt): number {
    const read = searchLog(times, log, placed)
    times.add(placed)
    log.push(placed)
    return read
  }

  it('ends at the latest change of its names', () => {
    const log = Array.from({ length: 1_000 }, (_, at) => set(at % 2 === 0 ? 'even' : 'odd', at))
    const times = PropertyTimes.afterChangesInOrder(999)
    expect(addLate(times, log, set('even', 1))).toBe(2)
    expect(addLate(times, log, set('odd', 2))).toBe(0)
  })

  it('reads no change twice, also when its names were never set', () => {
    const log = Array.from({ length: 1_000 }, (_, at) => set('plan', at))
    const times = PropertyTimes.afterChangesInOrder(999)
    const stored = () => new PropertyTimes(times.toStored())
    const reads = Array.from({ length: 10 }, (_, late) =>
      addLate(times, log, set(`new ${String(late)}`, 900 - 100 * late)),
    )
    // Each search begins at the instant where the search before it ended. Two changes have that instant.
    expect(reads).toEqual([99, ...Array.from({ length: 9 }, () => 101)])
    expect(addLate(stored(), log, set('other', 500))).toBe(0)
  })

  it('reads nothing for a history in reverse order', () => {
    const log = [set('plan', 1_000)]
    const times = PropertyTimes.afterChangesInOrder(1_000)
    const reads = Array.from({ length: 999 }, (_, late) =>
      addLate(times, log, set('plan', 999 - late)),
    )
    expect(reads.filter((read) => read > 0)).toEqual([1])
  })

  it('keeps the times of only 2,048 unset names, and decides others exactly', () => {
    const kept = 2_048
    const log: ChangeAt[] = Array.from({ length: kept + 100 }, (_, at) =>
      unset(`name ${String(at)}`, at),
    )
    const times = PropertyTimes.afterChangesInOrder(kept + 99)
    searchLog(times, log, set('other', -1))
    expect(times.add(set('other', -1))).toEqual({ set: { other: -1 }, unset: [] })
    const { unset: names, forgotten } = times.toStored()
    expect(names).toHaveLength(kept)
    expect(forgotten).toBe(100)
    for (const [name, at, wins] of [
      ['name 50', 49, false],
      ['name 50', 51, true],
      ['name 2000', 99, false],
      ['name 2000', 2_001, true],
      ['other', -2, false],
    ] as const) {
      const again = new PropertyTimes(times.toStored())
      const placed = set(name, at)
      searchLog(again, log, placed)
      expect([name, at, Object.hasOwn(again.add(placed).set, name)]).toEqual([name, at, wins])
    }
  })

  it('must precede a change that the kept times do not decide', () => {
    const times = PropertyTimes.afterChangesInOrder(10)
    expect(() => times.add(set('plan', 9))).toThrow('search the log')
    expect(times.add(set('plan', 10))).toEqual({ set: { plan: 10 }, unset: [] })
  })
})
