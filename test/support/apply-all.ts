import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { Projections } from '../../src/application/reading/ports/projections.js'

/** Applies all facts before it returns. */
export function applyAll(projections: Projections, facts: readonly LoggedFact[]): void {
  for (let left = facts; left.length > 0;) left = projections.apply(left)
}
