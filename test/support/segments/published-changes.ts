import { expect } from '@jest/globals'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
} from '../../../src/domain/segments/segment-facts.js'
import { kindOf } from './naive-answers.js'
import { entitiesOf } from './naive-membership.js'
import { recordedChanges, segmentsNamedIn } from './naive-timeline.js'
import type { SegmentBuilt, TimedFact } from './log-facts.js'
import { logsOfEntities } from './log-of-entity.js'
import { builtInOrder } from './published-facts.js'

type PublishedFact = TimedFact & (EntityEnteredSegment | EntityLeftSegment)

/** A version that went live, and the changes that were published for it. */
interface Publication {
  readonly built: TimedFact & SegmentBuilt
  /** The definition that caused this version. */
  readonly from: TimedFact
  /** The definition that caused the next version, or the retirement. Undefined: this version is still served. */
  readonly until: TimedFact | undefined
  readonly published: readonly PublishedFact[]
}

/**
 * Checks that the published changes match the naive evaluation: each once, in order, from the definition of a live
 * version up to the definition of the next. Returns the number of published changes.
 */
export function checkPublishedChanges(log: readonly TimedFact[]): number {
  let count = 0
  for (const publication of publicationsOf(log)) {
    const { built, until, published } = publication
    const found = published.map(({ type, data }) => ({ type, ...data }))
    const expected = expectedChanges(log, publication, found)
    // After a retirement, earlier changes are no longer published.
    const isWhole = until?.type !== 'SegmentRetired'
    const version = `${built.data.segment} version ${String(built.data.version)}`
    expect([version, found]).toEqual([
      version,
      isWhole ? expected : expected.slice(0, found.length),
    ])
    count += found.length
  }
  return count
}

function publicationsOf(log: readonly TimedFact[]): readonly Publication[] {
  const builts = builtInOrder(log)
  return builts.map((built): Publication => {
    const { segment, through } = built.data
    const from = log.find(({ id }) => id === through)
    if (from === undefined) throw new Error('built by a definition that is not there')
    const next = builts.find(
      (other) => other.data.segment === segment && other.position > built.position,
    )
    const retired = log.find(
      (fact) =>
        fact.type === 'SegmentRetired' &&
        fact.data.segment === segment &&
        fact.position > built.position,
    )
    const end = next === undefined ? undefined : log.find(({ id }) => id === next.data.through)
    const isRetired = retired !== undefined && retired.position < (next?.position ?? Infinity)
    const last = isRetired ? retired.position : (next?.position ?? Infinity)
    const published = log.filter(
      (fact): fact is PublishedFact =>
        isChange(fact) &&
        fact.data.segment === segment &&
        fact.position > built.position &&
        fact.position < last,
    )
    return { built, from, until: isRetired ? retired : end, published }
  })
}

function isChange(fact: { readonly type: string }): fact is PublishedFact {
  return fact.type === 'EntityEnteredSegment' || fact.type === 'EntityLeftSegment'
}

type PublishedChange = { readonly type: string } & PublishedFact['data']

/** Returns the expected changes. A cause of the kind `segment` refers to the published change. */
function expectedChanges(
  log: readonly TimedFact[],
  { built, from, until }: Publication,
  published: readonly PublishedChange[],
): readonly object[] {
  const { segment, version } = built.data
  const known = withoutLaterOnes(log, segment, from).filter(
    ({ position }) => position <= (until?.position ?? Infinity),
  )
  const logOf = logsOfEntities(known)
  const changes = entitiesOf(known).flatMap(({ externalId, entityId }, entity) => {
    const own = logOf(externalId)
    const begins = own.findIndex(({ id }) => id === from.id)
    return recordedChanges(own, segment, externalId, begins)
      .filter(({ fact }) => until === undefined || fact?.id !== until.id)
      .map((change) => ({ ...change, entityId, entity }))
  })
  changes.sort(
    (left, right) =>
      left.at - right.at ||
      (left.fact?.position ?? 0) - (right.fact?.position ?? 0) ||
      left.entity - right.entity,
  )
  return changes.map(({ isMember, at, fact, entityId }, index) => {
    const kind = fact === undefined ? 'time' : kindOf(fact)
    const isBySegment = published[index]?.cause.kind === 'segment'
    const cause = { kind: isBySegment ? 'segment' : kind, ...(fact && { factId: fact.id }) }
    const type = isMember ? 'EntityEnteredSegment' : 'EntityLeftSegment'
    return { type, segment, version, entityId, at: new Date(at).toISOString(), cause }
  })
}

/**
 * Returns the log without later definitions and retirements of the segment and of all segments that it depends on.
 */
function withoutLaterOnes(
  log: readonly TimedFact[],
  key: string,
  from: TimedFact,
): readonly TimedFact[] {
  const keys = new Set([key])
  const rules = new Map<string, readonly string[]>()
  for (const fact of log) {
    if (fact.position > from.position) break
    if (fact.type === 'SegmentDefined' && fact.data.rule !== undefined) {
      rules.set(fact.data.segment, segmentsNamedIn(fact.data.rule))
    }
  }
  for (const one of keys) for (const named of rules.get(one) ?? []) keys.add(named)
  return log.map((fact): TimedFact => {
    const isLater = fact.position > from.position
    if (!isLater || (fact.type !== 'SegmentDefined' && fact.type !== 'SegmentRetired')) return fact
    if (!keys.has(fact.data.segment)) return fact
    const { id, stream, position, logTime } = fact
    return { id, stream, position, logTime, type: 'TimePassed', data: { now: '' } }
  })
}
