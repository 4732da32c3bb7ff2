import type { Json } from '../../json.js'
import type { Node } from '../rule/compiled-rule.js'
import type { EntityView, Subject } from './entity-state.js'
import { evaluate } from './evaluate.js'
import type { Verdict } from '../rule/instant-test.js'

/**
 * An entity as it would be at any later instant if nothing were recorded, its segments too. `ruleOf`:
 * the rules of segments by id; undefined where members are put in by hand.
 */
export class AtAnyInstant implements EntityView {
  private readonly verdicts = new Map<string, Verdict>()
  private verdictsAt = Number.NaN

  constructor(
    private readonly view: EntityView,
    private readonly ruleOf: (segment: string) => Node | undefined,
  ) {}

  get subject(): Subject {
    return this.view.subject
  }

  instantsOf(matcher: string): readonly number[] {
    return this.view.instantsOf(matcher)
  }

  lastPasses(matcher: string): boolean {
    return this.view.lastPasses(matcher)
  }

  property(steps: readonly string[]): Json | undefined {
    return this.view.property(steps)
  }

  sustainedSince(test: string): number | undefined {
    return this.view.sustainedSince(test)
  }

  /** Each is evaluated once an instant, however many rules name it. */
  inSegment(segment: string, now: number): Verdict {
    const rule = this.ruleOf(segment)
    if (rule === undefined) return this.view.inSegment(segment, now)
    if (this.verdictsAt !== now) this.verdicts.clear()
    this.verdictsAt = now
    const verdict = this.verdicts.get(segment) ?? evaluate(rule, this, now)
    this.verdicts.set(segment, verdict)
    return verdict
  }
}
