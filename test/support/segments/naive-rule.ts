import { createHash } from 'node:crypto'
import { durationMs, isRelative, passes, passesAll, timeOf, valueAt } from './naive-values.js'
import type { EntityView, ViewedEvent } from './naive-view.js'
import type {
  Count,
  CountRule,
  Flat,
  LastRule,
  Leaf,
  PropertyRule,
  Rel,
  Rule,
  Where,
  Which,
} from './rule-grammar.js'

/**
 * Returns whether a rule holds for an entity at the instant `T`. Implements each sentence of the contract directly
 * over all facts of the entity, and keeps no state.
 */
export function holds(
  rule: Rule,
  entity: EntityView,
  T: number,
  isMemberOf: (segment: string) => boolean,
): boolean {
  const alsoHolds = (part: Rule) => holds(part, entity, T, isMemberOf)
  if ('all' in rule) return rule.all.every(alsoHolds)
  if ('any' in rule) return rule.any.some(alsoHolds)
  if ('not' in rule) return !alsoHolds(rule.not)
  if ('segment' in rule) return isMemberOf(rule.segment)
  return leafHolds(rule, entity, T)
}

function leafHolds(
  rule: Exclude<Leaf, { segment: string }>,
  entity: EntityView,
  T: number,
): boolean {
  if ('everyone' in rule) return true
  if ('created' in rule) return isRelative(entity.createdAt, rule.created, T)
  if ('bucket' in rule)
    return bucketOf(entity.externalId, rule.bucket.salt) < rule.bucket.below * 100
  if ('property' in rule) return propertyHolds(rule, entity, T)
  if ('last' in rule) return lastHolds(rule, entity)
  return isEnough(
    entity.events.filter((event) => isMeant(event, rule) && isInTime(event, rule, T)).length,
    rule.count ?? { gte: 1 },
  )
}

/** Returns the bucket of an entity, 0 to 9,999. */
export function bucketOf(externalId: string, salt = ''): number {
  const digest = createHash('sha256').update(`${salt}\n${externalId}`, 'utf8').digest()
  return digest.readUInt32BE(0) % 10_000
}

function propertyHolds(rule: PropertyRule, entity: EntityView, T: number): boolean {
  if ('for' in rule)
    return T >= sustainedSince(rule.property, rule.is, entity) + durationMs(rule.for)
  const value = valueAt(entity.states.at(-1)?.properties ?? {}, rule.property)
  if (!isRel(rule.is)) return passes(value, rule.is)
  const instant = typeof value === 'string' ? timeOf(value) : undefined
  return instant !== undefined && isRelative(instant, rule.is, T)
}

function isRel(is: Flat | Rel): is is Rel {
  return 'before' in is || 'after' in is
}

/** Returns the instant since which the test has held without a break. Infinity when it does not hold now. */
function sustainedSince(property: string, flat: Flat, { states }: EntityView): number {
  let since = Number.POSITIVE_INFINITY
  for (const { from, properties } of states) {
    const isHeld = passes(valueAt(properties, property), flat)
    since = isHeld ? Math.min(since, from) : Number.POSITIVE_INFINITY
  }
  return since
}

function isMeant(
  { name, properties }: ViewedEvent,
  { event, where }: { readonly event: Which; readonly where?: Where },
): boolean {
  const isNamed = typeof event === 'string' ? name === event : name.startsWith(event.starts_with)
  return isNamed && passesAll(properties, where ?? {})
}

function isInTime({ occurredAt }: ViewedEvent, rule: CountRule, T: number): boolean {
  const { within, after, before } = rule
  if (within !== undefined) return T - durationMs(within) < occurredAt
  const isAfter = after === undefined || (timeOf(after) ?? Number.NaN) <= occurredAt
  return isAfter && (before === undefined || occurredAt < (timeOf(before) ?? Number.NaN))
}

function isEnough(counted: number, count: Count): boolean {
  if ('gte' in count) return counted >= count.gte
  if ('lte' in count) return counted <= count.lte
  return counted === count.eq
}

/**
 * Returns whether the newest event passes. Of two events at one instant, the event that was recorded later is newer.
 */
function lastHolds(rule: LastRule, { events }: EntityView): boolean {
  let newest: ViewedEvent | undefined
  for (const event of events) {
    const isNewer = newest === undefined || event.occurredAt >= newest.occurredAt
    if (isMeant(event, rule) && isNewer) newest = event
  }
  return newest !== undefined && passesAll(newest.properties, rule.last)
}
