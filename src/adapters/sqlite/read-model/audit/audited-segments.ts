import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { OpenedProjections } from '../opened-projections.js'
import type { Generation } from '../segments/evaluation/generations.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import type { OrderedRows } from './ordered-rows.js'

export type AuditedModel = Pick<OpenedProjections, 'tables' | 'segments'>

/** A version of a segment, with the `Generation` that the read model stores for this version. */
export interface AuditedSegment {
  readonly name: string
  readonly segment: DefinedSegment
  readonly generation: Generation
}

/**
 * Returns the backfilled versions of segments to audit: the newest version of each segment, and the version
 * that queries use.
 */
export function auditedSegments({ catalog, generations }: SegmentProjection) {
  const { segments, served } = catalog
  const all = new Map([...segments, ...served].map((segment) => [segment.active.id, segment]))
  return [...all.values()].flatMap((segment): readonly AuditedSegment[] => {
    const generation = generations.built(segment.active.id)
    return generation === undefined ? [] : [{ name: nameOf(segment), segment, generation }]
  })
}

/**
 * Returns one line of text for each newest version that this read model does not evaluate. The line contains
 * the reason.
 */
export function skippedSegments({ catalog, generations }: SegmentProjection): readonly string[] {
  return catalog.segments.flatMap((segment) => {
    if (generations.built(segment.active.id) !== undefined) return []
    const reason = segment.isForeign
      ? 'a later version of Dossier defined its rule'
      : 'its backfill is not complete'
    return [`${nameOf(segment)}: ${reason}`]
  })
}

function nameOf({ key, version }: DefinedSegment): string {
  return `${key} version ${String(version)}`
}

/**
 * Returns a source of rows with the members of a segment. Each row contains the entity's number, the start of
 * the membership, and the entity's ids. The ids are null when the entity does not exist.
 */
export function membersOf({ id }: Generation): OrderedRows {
  const from = `(SELECT entity, since, entity_id, external_id
    FROM members LEFT JOIN entities USING (entity) WHERE segment = ${String(id)})`
  return { key: ['entity'], from }
}
