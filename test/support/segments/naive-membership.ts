import { createHash } from 'node:crypto'
import { isOfEntity, type SegmentDefined, type TimedFact } from './log-facts.js'
import { holds } from './naive-rule.js'
import { recordedView, validView, type EntityView } from './naive-view.js'
import type { Rule } from './rule-grammar.js'

/** A segment that is live at a point of the log. */
export interface LiveSegment extends Pick<SegmentDefined['data'], 'version' | 'rule'> {
  /** The position of the first definition since the segment was last retired. */
  readonly bornAt: number
}

export type LiveSegments = ReadonlyMap<string, LiveSegment>

/** Returns the segments that are live after these facts. */
export function liveSegments(log: readonly TimedFact[]): LiveSegments {
  const live = new Map<string, LiveSegment>()
  for (const fact of log) {
    if (fact.type === 'SegmentRetired') live.delete(fact.data.segment)
    if (fact.type !== 'SegmentDefined') continue
    const { segment, version, rule } = fact.data
    const bornAt = live.get(segment)?.bornAt ?? fact.position
    live.set(segment, { version, bornAt, ...(rule === undefined ? {} : { rule }) })
  }
  return live
}

/** Returns whether an entity is in a segment at the instant `T`, by the state on its timeline. */
export function isMember(
  segments: LiveSegments,
  entity: EntityView | undefined,
  key: string,
  T: number,
): boolean {
  const segment = segments.get(key)
  if (segment === undefined || entity === undefined) return false
  if (segment.rule === undefined) return isInByHand(entity, key, segment.bornAt)
  return ruleHolds(segments, segment.rule, entity, T)
}

/** Returns whether a rule, which may refer to these segments, holds for an entity at the instant `T`. */
export function ruleHolds(
  segments: LiveSegments,
  rule: Rule,
  entity: EntityView,
  T: number,
): boolean {
  return holds(rule, entity, T, (other) => isMember(segments, entity, other, T))
}

/** Returns whether the entity is a member by hand. Only changes since the segment was last created count. */
function isInByHand({ byHand }: EntityView, key: string, bornAt: number): boolean {
  const said = byHand.filter(({ segment, position }) => segment === key && position > bornAt)
  return said.at(-1)?.isAdded ?? false
}

/**
 * The recorded timeline. Returns whether the entity is in the segment after these facts at `T`. `T` is log time, or a
 * later instant up to which nothing more is recorded.
 */
export function isRecordedMember(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  T = log.at(-1)?.logTime ?? 0,
): boolean {
  const own = log.filter((fact) => isOfEntity(fact, externalId))
  return isMember(liveSegments(log), recordedView(own), key, T)
}

/** The valid timeline. Applies the definitions to those facts that took effect by `T`. */
export function isValidMember(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  T: number,
): boolean {
  const own = log.filter((fact) => isOfEntity(fact, externalId))
  return isMember(liveSegments(log), validView(own, T), key, T)
}

/** Returns the external ids and the generated ids of all entities, in the order of creation. */
export function entitiesOf(
  log: readonly TimedFact[],
): readonly { readonly externalId: string; readonly entityId: string }[] {
  return log.flatMap((fact) =>
    fact.type === 'EntityCreated' ? [{ externalId: fact.data.externalId, entityId: fact.id }] : [],
  )
}

/** Returns the digest of a segment's members, by their entity ids. */
export function digestOf(entityIds: readonly string[]): string {
  let sum = 0n
  for (const id of entityIds) {
    const hash = createHash('sha256').update(id.toLowerCase(), 'utf8').digest()
    sum = (sum + hash.readBigUInt64BE(0)) % 2n ** 64n
  }
  return sum.toString(16).padStart(16, '0')
}
