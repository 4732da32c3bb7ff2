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
import { PropertyTimes } from '../../src/domain/property-times.js'

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

  it('are the same when each change is decided from the kept own times', () => {
    fc.assert(
      fc.property(changes, fc.nat({ max: 3 }), (given, every) => {
        const facts = factsOf(given)
        const properties = new Map<string, Json>()
        let times = new PropertyTimes()
        facts.forEach(({ fact, logTime }, index) => {
          const isLatest = () => true
          applyChange(properties, times.add(changeOf(fact), ownTimeOf(fact, logTime), isLatest))
          // The times are stored and read again at some places.
          if (index % (every + 1) === 0) times = new PropertyTimes(times.toStored())
        })
        expect(sorted(properties)).toEqual(sorted(naive(facts, Infinity)))
      }),
    )
  })
})

describe('the own times of unset names', () => {
  const unsetAt = (at: number) => ({ set: {}, unset: [`name ${String(at)}`] })
  const kept = 2_048

  function afterUnsets(count: number): PropertyTimes {
    const times = new PropertyTimes()
    for (let at = 1; at <= count; at += 1) times.add(unsetAt(at), at, () => true)
    return new PropertyTimes(times.toStored())
  }

  it('are kept for the 2,048 names that were unset last', () => {
    const { unset, forgotten } = afterUnsets(kept + 2).toStored()
    expect(unset).toHaveLength(kept)
    expect(Math.min(...unset.map(([, at]) => at))).toBe(3)
    expect(forgotten).toBe(2)
  })

  it.each([true, false])(
    'are asked of the log for an older change: the answer %s decides',
    (isLatest) => {
      const times = afterUnsets(kept + 2)
      const asked: string[] = []
      const change = { set: { 'name 2': 'back', 'name 3': 'back' }, unset: [] }
      const winning = times.add(change, 1, (name) => {
        asked.push(name)
        return isLatest
      })
      expect(asked).toEqual(['name 2'])
      expect(Object.keys(winning.set)).toEqual(isLatest ? ['name 2'] : [])
    },
  )

  it('are not needed for a change that is newer than every forgotten unset', () => {
    const never = () => {
      throw new Error('the log is not needed')
    }
    const change = { set: { 'name 1': 'back', other: 1 }, unset: [] }
    expect(afterUnsets(kept + 2).add(change, 2, never)).toEqual(change)
  })
})
