import { expect } from '@jest/globals'
import { readFact } from '../../../src/application/facts/fact-format.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import { withLogTime, type AnyLogFact, type SegmentBuilt, type TimedFact } from './log-facts.js'
import { digestOf, entitiesOf, isRecordedMember } from './naive-membership.js'

/** At most one a second. */
const minTickMs = 1_000

/** Facts of a store, as the judge has them. */
export function factsOf(facts: readonly LoggedFact[]): readonly TimedFact[] {
  return withLogTime(
    facts.map((logged) => {
      if (readFact(logged) === undefined) throw new Error(`${logged.id} is no fact of ours`)
      const { id, type, position, stream } = logged
      const fact = { id, type, data: JSON.parse(logged.data) as unknown } as AnyLogFact
      return { ...fact, position, stream }
    }),
  )
}

/** Every build is told once where it holds, as the log up to its definition says; and no second twice. */
export function checkTold(log: readonly TimedFact[]): void {
  checkTicks(log)
  const valid = new Map<string, number>()
  const through = new Map<string, string>()
  for (const fact of log) {
    if (fact.type === 'SegmentRetired') through.delete(fact.data.segment)
    if (fact.type === 'SegmentDefined') {
      for (const key of dependentsOf(log, fact)) through.set(key, fact.id)
    }
    if (fact.type !== 'SegmentBuilt') continue
    checkFigures(log, fact)
    const { segment, through: id } = fact.data
    const build = `${segment} through ${id}`
    if (through.get(segment) === id) valid.set(build, (valid.get(build) ?? 0) + 1)
  }
  for (const [build, times] of valid) expect([build, times]).toEqual([build, 1])
  for (const [key, id] of through) expect([...valid.keys()]).toContain(`${key} through ${id}`)
}

function checkTicks(log: readonly TimedFact[]): void {
  let last = -Infinity
  for (const fact of log) {
    if (fact.type !== 'TimePassed') continue
    const now = Date.parse(fact.data.now)
    expect(now - last).toBeGreaterThanOrEqual(minTickMs)
    last = now
  }
}

/** Also of one that was overtaken: whoever tells it tells the same. */
function checkFigures(log: readonly TimedFact[], { data }: SegmentBuilt): void {
  const last = log.findIndex(({ id }) => id === data.through)
  const known = log.slice(0, last + 1)
  const members = entitiesOf(known).filter(({ externalId }) =>
    isRecordedMember(known, data.segment, externalId),
  )
  expect(data).toMatchObject({
    members: members.length,
    digest: digestOf(members.map(({ entityId }) => entityId)),
    builtAt: new Date(known.at(-1)?.logTime ?? 0).toISOString(),
  })
}

/** The segment of a definition, and all that depend on it then. */
function dependentsOf(log: readonly TimedFact[], defined: TimedFact): ReadonlySet<string> {
  const rules = new Map<string, string>()
  for (const fact of log) {
    if (fact.position > defined.position) break
    if (fact.type === 'SegmentRetired') rules.delete(fact.data.segment)
    if (fact.type === 'SegmentDefined') {
      rules.set(fact.data.segment, JSON.stringify(fact.data.rule ?? null))
    }
  }
  const keys = new Set(defined.type === 'SegmentDefined' ? [defined.data.segment] : [])
  for (let size = 0; size < keys.size;) {
    size = keys.size
    for (const [key, rule] of rules) {
      if ([...keys].some((named) => rule.includes(`{"segment":"${named}"}`))) keys.add(key)
    }
  }
  return keys
}
