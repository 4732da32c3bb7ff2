import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { OpenedProjections } from '../opened-projections.js'
import type { Generation } from '../segments/evaluation/generations.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import type { OrderedRows } from './ordered-rows.js'

export type AuditedModel = Pick<OpenedProjections, 'tables' | 'segments'>

/** A segment, and its stored state in the read model. */
export interface AuditedSegment {
  readonly name: string
  readonly segment: DefinedSegment
  readonly generation: Generation
}

/** Returns the current versions, and the older versions that are served until the current ones are built. */
export function auditedSegments({ catalog, generations }: SegmentProjection) {
  const { segments, served } = catalog
  const all = new Map([...segments, ...served].map((segment) => [segment.active.id, segment]))
  return [...all.values()].flatMap((segment): readonly AuditedSegment[] => {
    const generation = generations.built(segment.active.id)
    return generation === undefined ? [] : [{ name: nameOf(segment), segment, generation }]
  })
}

/** Returns one line for each current version that is not evaluated here, with the reason. */
export function skippedSegments({ catalog, generations }: SegmentProjection): readonly string[] {
  return catalog.segments.flatMap((segment) => {
    if (generations.built(segment.active.id) !== undefined) return []
    const reason = segment.isForeign ? 'its rule is of a later program' : 'it is being built'
    return [`${nameOf(segment)}: ${reason}`]
  })
}

function nameOf({ key, version }: DefinedSegment): string {
  return `${key} version ${String(version)}`
}

/**
 * Returns the rows of a segment's members: number of the entity, since when, and the id of an existing
 * entity.
 */
export function membersOf({ id }: Generation): OrderedRows {
  const from = `(SELECT entity, since, entity_id, external_id
    FROM members LEFT JOIN entities USING (entity) WHERE segment = ${String(id)})`
  return { key: ['entity'], from }
}
