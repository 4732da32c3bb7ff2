import type { EventRecorded } from '../event.js'
import type { Json } from '../json.js'
import { occurredAt } from '../profile.js'
import type { EntityView, Subject } from './entity-state.js'
import type { Verdict } from './instant-test.js'
import { passesWhere, type Matcher } from './matcher.js'

/** An event that counts. */
export interface Evidence {
  readonly factId: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** An entity with all of its events; `state` answers all else. */
export class AllEvents implements EntityView {
  private readonly matched = new Map<string, Matched>()
  private readonly matchers = new Map<string, Matcher>()

  /** `events`: in the order in which they were recorded. */
  constructor(
    private readonly events: readonly EventRecorded[],
    private readonly state: EntityView,
  ) {}

  get subject(): Subject {
    return this.state.subject
  }

  /** To be called before anything is asked of these. */
  know(matchers: readonly Matcher[]): void {
    for (const matcher of matchers) this.matchers.set(matcher.id, matcher)
  }

  /** The events that match, the newest first. */
  evidenceOf(matcher: string): readonly Evidence[] {
    return this.matchedBy(matcher).evidence
  }

  instantsOf(matcher: string): readonly number[] {
    return this.matchedBy(matcher).instants
  }

  lastPasses(matcher: string): boolean {
    const { last } = this.matcher(matcher)
    const { newest } = this.matchedBy(matcher)
    return newest !== undefined && passesWhere(last ?? [], newest.data.properties)
  }

  property(steps: readonly string[]): Json | undefined {
    return this.state.property(steps)
  }

  heldSince(test: string): number | undefined {
    return this.state.heldSince(test)
  }

  inSegment(segment: string, now: number): Verdict {
    return this.state.inSegment(segment, now)
  }

  private matcher(id: string): Matcher {
    const matcher = this.matchers.get(id)
    if (matcher === undefined) throw new Error('a condition that nobody told of')
    return matcher
  }

  private matchedBy(id: string): Matched {
    const known = this.matched.get(id)
    if (known !== undefined) return known
    const matcher = this.matcher(id)
    const found = this.events
      .map((event) => ({ event, at: Date.parse(occurredAt(event)) }))
      .filter(({ event, at }) => matches(matcher, event, at))
      .reverse()
      .sort((left, right) => right.at - left.at)
    const matched = {
      evidence: found.map(({ event, at }) => ({ factId: event.id, at })),
      instants: found.map(({ at }) => at),
      newest: found[0]?.event,
    }
    this.matched.set(id, matched)
    return matched
  }
}

interface Matched {
  readonly evidence: readonly Evidence[]
  readonly instants: readonly number[]
  readonly newest: EventRecorded | undefined
}

function matches(
  { event, where, after, before }: Matcher,
  { data }: EventRecorded,
  at: number,
): boolean {
  const isNamed =
    typeof event === 'string' ? data.name === event : data.name.startsWith(event.starts_with)
  return isNamed && at >= after && at < before && passesWhere(where, data.properties)
}
