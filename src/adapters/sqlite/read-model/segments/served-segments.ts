import type { CompiledRule } from '../../../../domain/segments/rule/compiled-rule.js'
import type { Catalog } from '../../../../domain/segments/catalog.js'
import type { Database } from '../../file/driver.js'
import type { Builds } from './builds.js'
import type { EntityRow } from './entity-states.js'
import type { Generation } from './generations.js'
import type { SegmentProjection } from './segment-projection.js'
import type { Publications } from './publications.js'

/** What is read of segments, their members and the states of entities, at one position. */
export interface ServedSegments {
  readonly catalog: Catalog
  readonly generations: { built(active: string): Generation | undefined }
  readonly live: {
    readonly states: { get(entity: number): EntityRow | undefined } | undefined
    ruleOf(active: string): CompiledRule | undefined
  }
  readonly publications: Pick<Publications, 'isDiverged'>
  readonly builds: Pick<Builds, 'progressOf'>
}

/**
 * The segments as they are now, for the time in which due instants are evaluated and no fact is applied:
 * that changes members and states, and nothing else. `committed`: a connection that sees what was
 * committed, which must be what is there now.
 */
export function servedSegmentsOf(
  { catalog, generations, live, publications, builds }: SegmentProjection,
  committed: Database,
): ServedSegments {
  const copy = generations.copy()
  const states = live.statesOver(committed)
  return {
    catalog,
    generations: { built: (active) => copy.get(active) },
    live: { states, ruleOf: (active) => live.ruleOf(active) },
    publications,
    builds,
  }
}
