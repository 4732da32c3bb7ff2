import type { EffectOf, EntityFact } from '../../facts.js'
import type { EntityView } from './entity-state.js'
import { ViewOver } from './entity-views.js'
import { passesWhere, type Matcher } from '../rule/matcher.js'

/** An event that counts. */
export interface Evidence {
  readonly factId: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** Events that are named as evidence: the newest of all that match. */
const maxEvidence = 100

/** Which of an entity's events match. Events are added in the order of recording, and not stored. */
export class MatchedEvents {
  private readonly matched = new Map<string, Matched>()

  constructor(matchers: Iterable<Matcher>) {
    for (const matcher of matchers) this.matched.set(matcher.id, new Matched(matcher))
  }

  /** Takes those facts that are events. */
  add({ id, tookEffectAt, effect }: EntityFact): void {
    if (effect.kind !== 'event') return
    const at = Date.parse(tookEffectAt)
    for (const matched of this.matched.values()) matched.add(id, effect.event, at)
  }

  by(matcher: string): Matched {
    const matched = this.matched.get(matcher)
    if (matched === undefined) throw new Error('a condition that this was not made for')
    return matched
  }
}

/** An entity with all of its events; `view` answers all else. */
export class AllEvents extends ViewOver {
  constructor(
    private readonly events: MatchedEvents,
    view: EntityView,
  ) {
    super(view)
  }

  /** The newest events that match, the newest first. */
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

/** The events that one matcher matches. */
class Matched {
  /** Whether the newest one passes the test of `last`. */
  lastPasses = false
  /** The newest first. */
  readonly evidence: Evidence[] = []
  private readonly all: number[] = []
  private isSorted = true

  constructor(private readonly matcher: Matcher) {}

  add(factId: string, event: MatchedEvent, at: number): void {
    if (!matches(this.matcher, event, at)) return
    this.all.push(at)
    this.isSorted = false
    // Where two occurred at one instant, the one that was recorded later is the newer.
    let place = this.evidence.length
    for (; place > 0; place -= 1) if ((this.evidence[place - 1]?.at ?? Infinity) > at) break
    if (place === 0) {
      this.lastPasses = passesWhere(this.matcher.last ?? [], event.properties)
    }
    if (place === maxEvidence) return
    this.evidence.splice(place, 0, { factId, at })
    if (this.evidence.length > maxEvidence) this.evidence.pop()
  }

  /** The newest first. */
  get instants(): readonly number[] {
    if (!this.isSorted) this.all.sort((left, right) => right - left)
    this.isSorted = true
    return this.all
  }
}

/** Whether a condition looks at an event, as it was at an instant in milliseconds since 1970. */
export function matches(
  { event, where, after, before }: Matcher,
  { name, properties }: MatchedEvent,
  at: number,
): boolean {
  const isNamed = typeof event === 'string' ? name === event : name.startsWith(event.starts_with)
  return isNamed && at >= after && at < before && passesWhere(where, properties)
}
