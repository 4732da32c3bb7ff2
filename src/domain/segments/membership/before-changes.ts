import type { Json } from '../../json.js'
import type { EntityView, Subject } from './entity-state.js'
import type { Verdict } from '../rule/instant-test.js'

/** An entity as it would be if it had not just entered and left these segments. */
export class BeforeChanges implements EntityView {
  constructor(
    private readonly view: EntityView,
    private readonly changed: ReadonlySet<string>,
  ) {}

  get subject(): Subject {
    return this.view.subject
  }

  inSegment(segment: string, now: number): Verdict {
    const verdict = this.view.inSegment(segment, now)
    return this.changed.has(segment) ? { ...verdict, holds: !verdict.holds } : verdict
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
}
