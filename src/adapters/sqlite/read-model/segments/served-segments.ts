import type { CompiledRule } from '../../../../domain/segments/compiled-rule.js'
import type { Catalog } from '../../../../domain/segments/catalog.js'
import type { Database } from '../../file/driver.js'
import type { BuildWork } from './build-work.js'
import type { EntityRow } from './entity-rows.js'
import type { KeptSegment } from './kept-segments.js'
import type { SegmentProjection } from './segment-projection.js'
import type { Tellings } from './tellings.js'

/** What is read of segments, their members and the states of entities, at one position. */
export interface ServedSegments {
  readonly catalog: Catalog
  readonly kept: { get(active: string): KeptSegment | undefined }
  readonly live: {
    readonly rows: { get(entity: number): EntityRow | undefined } | undefined
    ruleOf(active: string): CompiledRule | undefined
  }
  readonly tellings: Pick<Tellings, 'isDiverged'>
  readonly builds: Pick<BuildWork, 'progressOf'>
}

/**
 * The segments as they are now, for the time in which due instants are evaluated and no fact is applied:
 * that changes members and states, and nothing else. `committed`: a connection that sees what was
 * committed, which must be what is there now.
 */
export function servedSegmentsOf(
  { catalog, kept, live, tellings, builds }: SegmentProjection,
  committed: Database,
): ServedSegments {
  const copy = kept.copy()
  const rows = live.rowsOver(committed)
  const read = (entity: number) => {
    // Nothing is written: it only keeps the number of cached rows in bounds.
    rows?.write()
    return rows?.get(entity)
  }
  return {
    catalog,
    kept: { get: (active) => copy.get(active) },
    live: { rows: rows && { get: read }, ruleOf: (active) => live.ruleOf(active) },
    tellings,
    builds,
  }
}
