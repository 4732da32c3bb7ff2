import { expect } from '@jest/globals'
import { readFact } from '../../../src/application/facts/fact-format.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import { erasuresIn } from './less-erased.js'
import { withLogTime, type AnyLogFact, type SegmentBuilt, type TimedFact } from './log-facts.js'
import { digestOf, entitiesOf, isRecordedMember } from './naive-membership.js'

/** The shortest interval between two published ticks, in milliseconds. */
const minTickMs = 1_000

/** The fact types that define segments and confirm their builds. */
const typesOfSegments: ReadonlySet<string> = new Set([
  'SegmentDefined',
  'SegmentRetired',
  'SegmentBuilt',
])

/** Converts stored facts to the form of the naive evaluation. */
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

/**
 * Checks the figures of every published build. No definition may be built twice, and each current definition must be
 * built.
 */
export function checkBuilds(
  log: readonly TimedFact[],
  erasures: ReadonlyMap<string, number> = new Map(),
): void {
  const lastErasure = Math.max(0, ...erasures.values())
  for (const fact of log) {
    if (fact.type === 'SegmentBuilt') checkFigures(log, fact, lastErasure)
  }
  const builds = builtInOrder(log).map(({ data }) => `${data.segment} through ${data.through}`)
  expect(builds).toEqual([...new Set(builds)])
  for (const [key, id] of causesOfNow(log)) expect(builds).toContain(`${key} through ${id}`)
}

/** Returns the builds that went live, in order. Builds that a newer definition made obsolete are skipped. */
export function builtInOrder(log: readonly TimedFact[]): readonly (TimedFact & SegmentBuilt)[] {
  const ofSegments = log.filter(({ type }) => typesOfSegments.has(type))
  return ofSegments.filter(
    (fact, index): fact is TimedFact & SegmentBuilt =>
      fact.type === 'SegmentBuilt' &&
      causesOfNow(ofSegments.slice(0, index)).get(fact.data.segment) === fact.data.through,
  )
}

/**
 * Returns, for each segment, the id of the latest definition that its state depends on. This is its own definition, or
 * the definition of a segment that it refers to.
 */
export function causesOfNow(log: readonly TimedFact[]): ReadonlyMap<string, string> {
  const through = new Map<string, string>()
  for (const fact of log) {
    if (fact.type === 'SegmentRetired') through.delete(fact.data.segment)
    if (fact.type !== 'SegmentDefined') continue
    for (const key of dependentsOf(log, fact)) through.set(key, fact.id)
  }
  return through
}

/** Checks that no second was published twice. */
export function checkTicks(log: readonly TimedFact[]): void {
  let last = -Infinity
  for (const fact of log) {
    if (fact.type !== 'TimePassed') continue
    const now = Date.parse(fact.data.now)
    expect(now - last).toBeGreaterThanOrEqual(minTickMs)
    last = now
  }
}

/**
 * Checks the figures of a build, also of an obsolete one, because all processes publish equal figures. Erased
 * entities may or may not be counted.
 */
function checkFigures(
  log: readonly TimedFact[],
  { data }: SegmentBuilt,
  lastErasure: number,
): void {
  const last = log.findIndex(({ id }) => id === data.through)
  if ((log[last]?.position ?? 0) < lastErasure) return
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

/** Returns the segment of a definition, and all segments that depend on it at that point. */
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

/**
 * Checks published changes of erased entities. An erasure removes an entity at most once from each served version,
 * and nothing more is published about the entity there. At the end, no served version has an erased member.
 */
export function checkErased(log: readonly TimedFact[]): void {
  const left = new Set<string>()
  const members = new Set<string>()
  const builds = new Map<string, string>()
  for (const fact of log) {
    if (fact.type === 'SegmentBuilt') builds.set(fact.data.segment, fact.id)
    if (fact.type === 'SegmentRetired') builds.delete(fact.data.segment)
    if (fact.type !== 'EntityEnteredSegment' && fact.type !== 'EntityLeftSegment') continue
    const { segment, entityId, cause } = fact.data
    const membership = `${String(builds.get(segment))} ${entityId}`
    expect([...left]).not.toContain(membership)
    if (cause.kind === 'erased') left.add(membership)
    if (fact.type === 'EntityEnteredSegment') members.add(membership)
    else members.delete(membership)
  }
  const served = [...builds.values()]
  const erased = [...erasuresIn(log).keys()]
  const still = served.flatMap((build) => erased.map((id) => `${build} ${id}`))
  expect(still.filter((membership) => members.has(membership))).toEqual([])
}
