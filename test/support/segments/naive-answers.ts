import type { PastBounds } from '../../../src/application/segments/ports/segment-queries.js'
import type { CauseKind } from '../../../src/domain/segments/membership/membership.js'
import { isOfEntity, type EntityFact, type TimedFact } from './log-facts.js'
import { isMember, liveSegments } from './naive-membership.js'
import {
  recordedChanges,
  ruleUntil,
  sinceOf,
  validChanges,
  type NaiveChange,
} from './naive-timeline.js'
import { ownTimeOf, recordedView, validView, withoutVoided, type EntityView } from './naive-view.js'
import type { Rule } from './rule-grammar.js'

/** The facts known at an instant, and the instant that the question is about. */
export interface Asked {
  readonly log: readonly TimedFact[]
  readonly asOf: number | undefined
  /** `asOf`, or log time. */
  readonly T: number
}

export function askedOf(all: readonly TimedFact[], { asOf, knownAt }: PastBounds): Asked {
  const log = knownAt === undefined ? all : all.filter(({ logTime }) => logTime <= knownAt)
  return { log, asOf, T: asOf ?? log.at(-1)?.logTime ?? 0 }
}

/** Returns the facts of an entity that have an effect, in the order of recording. */
export function ownFacts(
  { log, asOf }: Asked,
  externalId: string,
): readonly (TimedFact & EntityFact)[] {
  const own = log.filter((fact) => isOfEntity(fact, externalId))
  return withoutVoided(own).filter((fact) => asOf === undefined || ownTimeOf(fact) <= asOf)
}

/** Returns the state of an entity. Undefined: there was no such entity. */
export function viewOf(asked: Asked, externalId: string): EntityView | undefined {
  const own = asked.log.filter((fact) => isOfEntity(fact, externalId))
  return asked.asOf === undefined ? recordedView(own) : validView(own, asked.asOf)
}

/**
 * Returns the membership of an entity in a live segment. With `asOf`, uses the valid timeline, and returns no causes.
 */
export function membershipOf(asked: Asked, key: string, externalId: string) {
  const { log, asOf, T } = asked
  const entity = viewOf(asked, externalId)
  const segments = liveSegments(log)
  const rule = segments.get(key)?.rule
  if (entity === undefined) return undefined
  const changes =
    asOf === undefined
      ? recordedChanges(log, key, externalId)
      : validChanges(log, key, externalId, asOf).map((change) => ({ ...change, index: 0 }))
  return {
    member: isMember(segments, entity, key, T),
    since: timeOf(sinceOf(changes)),
    until: timeOf(rule && ruleUntil(segments, rule, entity, T)),
    periods: periodsOf(changes.map((change) => boundOf(change, asOf === undefined))),
  }
}

export function timeOf(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : new Date(instant).toISOString()
}

type JudgedChange = Pick<NaiveChange, 'isMember' | 'at'> & Partial<NaiveChange>

function boundOf({ at, fact }: JudgedChange, hasCause: boolean) {
  const cause = fact === undefined ? { kind: 'time' } : { kind: kindOf(fact), factId: fact.id }
  return { at: timeOf(at), ...(hasCause ? { cause } : {}) }
}

/** Returns the kind of cause for a fact that directly made an entity enter or leave. */
export function kindOf({ type }: Pick<TimedFact, 'type'>): CauseKind | undefined {
  return causes[type]
}

const causes: Readonly<Record<TimedFact['type'], CauseKind | undefined>> = {
  EntityCreated: 'created',
  EntityPropertiesChanged: 'properties',
  EventRecorded: 'event',
  EventVoided: 'voided',
  EntityAddedToSegment: 'hand',
  EntityRemovedFromSegment: 'hand',
  SegmentDefined: 'definition',
  SegmentRetired: 'definition',
  TimePassed: undefined,
  SegmentBuilt: undefined,
  EntityEnteredSegment: undefined,
  EntityLeftSegment: undefined,
  EntityErasureRecorded: undefined,
  EntityErased: undefined,
  ErasedFactsRemoved: undefined,
  FactErased: undefined,
}

export function periodsOf<Bound>(bounds: readonly Bound[]) {
  return bounds.flatMap((entered, at) => (at % 2 === 0 ? [{ entered, left: bounds[at + 1] }] : []))
}

export const trialKey = 'trial'

/**
 * Returns the log as if today's definitions and the trial rule had existed from the start. Drops changes by hand of
 * segments that were retired later.
 */
export function withTrial(log: readonly TimedFact[], rule: Rule): readonly TimedFact[] {
  const live = liveSegments(log)
  const base = { version: 1, title: '', evaluator: 1 as const, definedAt: '' }
  const definitions = [...live]
    .map(([segment, { rule: its }]) => ({ segment, rule: its }))
    .concat({ segment: trialKey, rule })
    .map(({ segment, rule: its }, index): TimedFact => {
      const given =
        its === undefined ? { kind: 'hand' as const } : { kind: 'rule' as const, rule: its }
      const data = { ...base, segment, ...given }
      const place = { id: '', stream: 'segments', position: index - 100, logTime: 0 }
      return { ...place, type: 'SegmentDefined', data }
    })
  const rest = log.map((fact): TimedFact => {
    const isPublished =
      isEntityFact(fact) && (live.get(segmentOf(fact))?.bornAt ?? 0) < fact.position
    if (isPublished) return fact
    const { id, stream, position, logTime } = fact
    return { id, stream, position, logTime, type: 'TimePassed', data: { now: '' } }
  })
  return [...definitions, ...rest]
}

function isEntityFact(fact: TimedFact): boolean {
  return Object.hasOwn(causes, fact.type) && fact.stream.startsWith('entity-')
}

function segmentOf(fact: TimedFact): string {
  const isByHand = fact.type === 'EntityAddedToSegment' || fact.type === 'EntityRemovedFromSegment'
  return isByHand ? fact.data.segment : ''
}
