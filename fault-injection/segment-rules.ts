import { ruleHolds, type LiveSegments } from '../test/support/segments/naive-membership.js'
import type { EntityView } from '../test/support/segments/naive-view.js'
import type { Rule } from '../test/support/segments/rule-grammar.js'
import { eventName, propertiesOf } from './requests.js'

/**
 * A segment over the events and properties of these runs. All runs use the same segments, so each store defines
 * them once.
 */
export interface RunSegment {
  readonly key: string
  readonly rule: Rule
  /** Whether a member stays a member whatever else is recorded. */
  readonly isLasting: boolean
}

const segmentCount = 100
/** The number of values of an event's `quantity`. There is a group of rules that differ only in this value. */
const quantities = 7

export const runSegments: readonly RunSegment[] = Array.from({ length: segmentCount }, (_, n) => ({
  key: keyOf(n),
  ...ruleOf(n),
}))

/** One segment of each kind. They refer only to each other. */
export const fewSegments = runSegments.filter((_, n) => n % quantities === 0 || n === 99)

const live: LiveSegments = new Map(
  runSegments.map(({ key, rule }) => [key, { version: 1, bornAt: 0, rule }]),
)

function keyOf(n: number): string {
  return `run-${String(n)}`
}

function ruleOf(n: number): Omit<RunSegment, 'key'> {
  const kind = Math.floor(n / quantities)
  const event = eventName
  const where = { '/quantity': { eq: n % quantities } }
  if (n === 99) {
    return {
      rule: { any: [{ segment: keyOf(0) }, { segment: keyOf(7 * quantities) }] },
      isLasting: true,
    }
  }
  if (n === 98) return { rule: { not: { event, within: '1m' } }, isLasting: false }
  if (kind === 13) {
    return { rule: { event, where, within: '1m', count: { gte: 2 } }, isLasting: false }
  }
  if (kind === 12) {
    return { rule: { property: '/quantity', is: { eq: n % quantities } }, isLasting: false }
  }
  if (kind >= 10) {
    const odd = { '/nested/odd': kind === 10 ? { eq: true } : { not: { eq: true } } }
    const both: Rule[] = [
      { event, where },
      { event, where: odd, count: { gte: 3 } },
    ]
    return { rule: { all: both }, isLasting: true }
  }
  return { rule: { event, where, count: { gte: kind + 1 } }, isLasting: true }
}

/** A fact about an entity. `time` is in RFC 3339. */
export interface Recorded {
  readonly serial: number
  readonly fact: 'created' | 'changed' | 'recorded'
  readonly time: string
}

/** Returns the state of an entity after these facts. A change replaces all properties of a run. */
export function viewOf(externalId: string, facts: readonly Recorded[]): EntityView {
  const events = facts.filter(({ fact }) => fact === 'recorded')
  const states = facts.filter(({ fact }) => fact !== 'recorded')
  return {
    externalId,
    createdAt: instantOf(states[0]),
    events: events.map((one) => ({
      name: eventName,
      properties: propertiesOf(one.serial, ''),
      occurredAt: instantOf(one),
    })),
    states: states.map((one) => ({
      from: instantOf(one),
      properties: propertiesOf(one.serial, ''),
    })),
    byHand: [],
  }
}

/** Returns whether the entity is in the segment at log time `at`, in milliseconds. */
export function isMember({ rule }: RunSegment, entity: EntityView, at: number): boolean {
  return ruleHolds(live, rule, entity, at)
}

/** Returns the lasting segments that events have put an entity into. */
export function lastingSegmentsOf(
  segments: readonly RunSegment[],
  externalId: string,
  serials: readonly number[],
): readonly RunSegment[] {
  const time = new Date(0).toISOString()
  const events = serials.map((serial) => ({ serial, fact: 'recorded' as const, time }))
  const view = viewOf(externalId, events)
  return segments.filter((one) => one.isLasting && isMember(one, view, 0))
}

function instantOf(one: Recorded | undefined): number {
  return Date.parse(one?.time ?? '')
}
