import type { Json } from '../../json.js'
import type { Node } from '../rule/compiled-rule.js'
import type { Verdict } from '../rule/instant-test.js'
import type { EntityView, Subject } from './entity-state.js'
import { evaluate } from './evaluate.js'

/** A view that delegates every member to another view. A subclass overrides some members. */
export class ViewOver implements EntityView {
  constructor(protected readonly view: EntityView) {}

  get subject(): Subject {
    return this.view.subject
  }

  property(steps: readonly string[]): Json | undefined {
    return this.view.property(steps)
  }

  instantsOf(matcher: string): readonly number[] {
    return this.view.instantsOf(matcher)
  }

  lastPasses(matcher: string): boolean {
    return this.view.lastPasses(matcher)
  }

  sustainedSince(test: string): number | undefined {
    return this.view.sustainedSince(test)
  }

  inSegment(segment: string, now: number): Verdict {
    return this.view.inSegment(segment, now)
  }
}

/** The view of an entity before its latest membership changes. `changed` contains the segments that changed. */
export class BeforeChanges extends ViewOver {
  constructor(
    view: EntityView,
    private readonly changed: ReadonlySet<string>,
  ) {
    super(view)
  }

  override inSegment(segment: string, now: number): Verdict {
    const verdict = super.inSegment(segment, now)
    return this.changed.has(segment) ? { ...verdict, holds: !verdict.holds } : verdict
  }
}

/**
 * The view of an entity at any later instant, if no further fact follows. Memberships are evaluated at that
 * instant too. `ruleOf` gets the id of a segment and returns its rule, or undefined for a `hand` segment.
 */
export class AtAnyInstant extends ViewOver {
  private readonly verdicts = new Map<string, Verdict>()
  private verdictsAt = Number.NaN

  constructor(
    view: EntityView,
    private readonly ruleOf: (segment: string) => Node | undefined,
  ) {
    super(view)
  }

  /**
   * Returns whether the entity is in the segment at `now`. Evaluates each segment once per instant, even if
   * several rules name it.
   */
  override inSegment(segment: string, now: number): Verdict {
    const rule = this.ruleOf(segment)
    if (rule === undefined) return super.inSegment(segment, now)
    if (this.verdictsAt !== now) this.verdicts.clear()
    this.verdictsAt = now
    const verdict = this.verdicts.get(segment) ?? evaluate(rule, this, now)
    this.verdicts.set(segment, verdict)
    return verdict
  }
}
