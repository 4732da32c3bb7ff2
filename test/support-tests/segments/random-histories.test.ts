import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { byForm, itThoroughly } from '../../support/form.js'
import { withLogTime, type TimedFact } from '../../support/segments/log-facts.js'
import {
  entitiesOf,
  isRecordedMember,
  isValidMember,
} from '../../support/segments/naive-membership.js'
import {
  recordedChanges,
  validChanges,
  type NaiveChange,
} from '../../support/segments/naive-timeline.js'
import { segmentKeys } from '../../support/segments/history-log.js'
import { randomHistories } from '../../support/segments/random-histories.js'

const numRuns = byForm({ quick: 4, thorough: 400 })

/** Everywhere between two facts, most of all beside the instants of others. */
const between = fc.array(fc.tuple(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true })), {
  minLength: 10,
  maxLength: 10,
})

it('the judge misses no change: between two there is none, wherever one looks', () => {
  fc.assert(
    fc.property(randomHistories, between, (history, looks) => {
      const log = withLogTime(history)
      for (const { externalId } of entitiesOf(log)) {
        for (const key of segmentKeys) {
          const recorded = recordedChanges(log, key, externalId)
          for (const [which, part] of looks) {
            const index = which % log.length
            const [from, to] = [log[index]?.logTime ?? 0, log[index + 1]?.logTime ?? 0]
            const at = Math.round(from + part * Math.max(0, to - from))
            const known = log.slice(0, index + 1)
            const isIn = isRecordedMember(known, key, externalId, at)
            expect(isIn).toBe(stateAt(recorded, index, at))
          }
          checkValid(log, key, externalId, looks)
        }
      }
    }),
    { numRuns },
  )
})

/** Those by later facts are left out, and those of time that had not passed. */
function stateAt(changes: readonly NaiveChange[], index: number, at: number): boolean {
  const known = changes.filter(
    (change) =>
      change.index < index ||
      (change.index === index && (change.fact !== undefined || change.at <= at)),
  )
  return known.at(-1)?.isMember ?? false
}

function checkValid(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  looks: readonly (readonly [number, number])[],
): void {
  const [first, last] = [log[0]?.logTime ?? 0, log.at(-1)?.logTime ?? 0]
  const changes = validChanges(log, key, externalId, last)
  for (const [, part] of looks) {
    const at = Math.round(first + part * (last - first))
    const known = changes.filter((change) => change.at <= at)
    expect(isValidMember(log, key, externalId, at)).toBe(known.at(-1)?.isMember ?? false)
  }
}

itThoroughly('the histories have what they are for', () => {
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  for (const history of fc.sample(randomHistories, { numRuns: 100, seed: 7 })) {
    const log = withLogTime(history)
    if (hasTimeWithoutSegments(log)) count('no segment for a while')
    log.forEach((fact, index) => {
      count(fact.type)
      if (fact.logTime === log[index - 1]?.logTime) count('an instant again')
      if (fact.type === 'EventRecorded') {
        const { recordedAt, occurredAt = recordedAt } = fact.data
        if (occurredAt > recordedAt) count('an event ahead')
        if (occurredAt < recordedAt) count('a late event')
        if (Date.parse(recordedAt) < fact.logTime) count('a clock behind')
      }
    })
    const changes = entitiesOf(log).flatMap(({ externalId }) =>
      segmentKeys.flatMap((key) => recordedChanges(log, key, externalId)),
    )
    for (const { isMember, fact } of changes) {
      count(`${isMember ? 'enters' : 'leaves'} by ${fact?.type ?? 'time'}`)
    }
  }
  const changes = ['EventRecorded', 'EntityPropertiesChanged', 'SegmentDefined', 'time'].flatMap(
    (by) => [`enters by ${by}`, `leaves by ${by}`],
  )
  const others = [
    'an instant again',
    'an event ahead',
    'a late event',
    'a clock behind',
    'SegmentRetired',
    'no segment for a while',
    'SegmentBuilt',
    'TimePassed',
    'enters by EntityCreated',
    'enters by EntityAddedToSegment',
    'leaves by EntityRemovedFromSegment',
    'leaves by SegmentRetired',
  ]
  for (const what of [...changes, ...others]) {
    expect([what, (seen.get(what) ?? 0) >= 3]).toEqual([what, true])
  }
})

/** Whether segments are defined again after all were retired. */
function hasTimeWithoutSegments(log: readonly TimedFact[]): boolean {
  const live = new Set<string>()
  let isEmptied = false
  for (const fact of log) {
    if (fact.type === 'SegmentDefined') {
      if (isEmptied) return true
      live.add(fact.data.segment)
    }
    if (fact.type === 'SegmentRetired') {
      live.delete(fact.data.segment)
      isEmptied = live.size === 0
    }
  }
  return false
}
