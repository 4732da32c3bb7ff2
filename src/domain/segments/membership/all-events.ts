import { shownTimeOf, type EffectOf, type EntityFact } from '../../facts.js'
import { epochMsOf } from '../../timestamp.js'
import type { EntityView } from './entity-state.js'
import { ViewOver } from './entity-views.js'
import { passesWhere, type Matcher } from '../rule/matcher.js'

/** An event that a matcher counted, as evidence for the result of a condition. */
interface Evidence {
  readonly factId: string
  /** The time of occurrence, in milliseconds since 1970. */
  readonly at: number
}

/** The maximum number of events that are listed as evidence. The newest matching events are listed. */
const maxEvidence = 100

/**
 * The matching events of one entity, by matcher. Add the entity's events in the order of recording, without
 * voided events. Memory holds only the instants of all matching events, and the newest matching events.
 */
export class MatchedEvents {
  private readonly matched = new Map<string, Matched>()

  constructor(matchers: Iterable<Matcher>) {
    for (const matcher of matchers) this.matched.set(matcher.id, new Matched(matcher))
  }

  /** Adds a fact if it is an event. Ignores other facts. */
  add(fact: EntityFact): void {
    const { id, effect } = fact
    if (effect.kind !== 'event') return
    const at = epochMsOf(shownTimeOf(fact))
    for (const matched of this.matched.values()) matched.add(id, effect.event, at)
  }

  by(matcher: string): Matched {
    const matched = this.matched.get(matcher)
    if (matched === undefined) throw new Error(`there is no matcher ${matcher}`)
    return matched
  }
}

/**
 * A view of an entity that answers event conditions from all events of the entity. Other conditions are
 * answered from `view`.
 */
export class AllEvents extends ViewOver {
  constructor(
    private readonly events: MatchedEvents,
    view: EntityView,
  ) {
    super(view)
  }

  evidenceOf(matcher: string): readonly Evidence[] {
    return this.events.by(matcher).evidence
  }

  override instantsOf(matcher: string): readonly number[] {
    return this.events.by(matcher).instants
  }

  override lastPasses(matcher: string): boolean {
    return this.events.by(matcher).lastPasses
  }
}

type MatchedEvent = EffectOf<'event'>['event']

class Matched {
  /** True if the newest matching event passes the matcher's test `last`. */
  lastPasses = false
  /** The newest matching events, newest first. */
  readonly evidence: Evidence[] = []
  private readonly all: number[] = []
  private isSorted = true

  constructor(private readonly matcher: Matcher) {}

  add(factId: string, event: MatchedEvent, at: number): void {
    if (!matches(this.matcher, event, at)) return
    this.all.push(at)
    this.isSorted = false
    // If two events have the same instant, the event that was recorded later counts as newer.
    let place = this.evidence.length
    for (; place > 0; place -= 1) if ((this.evidence[place - 1]?.at ?? Infinity) > at) break
    if (place === 0) {
      this.lastPasses = passesWhere(this.matcher.last ?? [], event.properties)
    }
    if (place === maxEvidence) return
    this.evidence.splice(place, 0, { factId, at })
    if (this.evidence.length > maxEvidence) this.evidence.pop()
  }

  /** The instants of all matching events, newest first. */
  get instants(): readonly number[] {
    if (!this.isSorted) this.all.sort((left, right) => right - left)
    this.isSorted = true
    return this.all
  }
}

/**
 * Returns whether an event at the instant `at` (milliseconds since 1970) matches. The test `last` is not
 * checked here.
 */
export function matches(
  { event, where, after, before }: Matcher,
  { name, properties }: MatchedEvent,
  at: number,
): boolean {
  const isNamed = typeof event === 'string' ? name === event : name.startsWith(event.starts_with)
  return isNamed && at >= after && at < before && passesWhere(where, properties)
}
