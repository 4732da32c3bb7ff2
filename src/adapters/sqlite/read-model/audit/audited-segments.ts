import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { OpenedProjections } from '../opened-projections.js'
import type { Generation } from '../segments/evaluation/generations.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import type { OrderedRows } from './ordered-rows.js'

export type AuditedModel = Pick<OpenedProjections, 'tables' | 'segments'>

/** A segment, and what the read model keeps of it. */
export interface AuditedSegment {
  readonly name: string
  readonly segment: DefinedSegment
  readonly generation: Generation
}

/** The current versions, and the versions that are served until those are built. */
export function auditedSegments({ catalog, generations }: SegmentProjection) {
  const { segments, served } = catalog
  const all = new Map([...segments, ...served].map((segment) => [segment.active.id, segment]))
  return [...all.values()].flatMap((segment): readonly AuditedSegment[] => {
    const generation = generations.built(segment.active.id)
    return generation === undefined ? [] : [{ name: nameOf(segment), segment, generation }]
  })
}

/** The current versions that are not evaluated here, and why, for people. */
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

/** Of a segment: the numbers of entities, since when, and their ids where they are entities. */
export function membersOf({ id }: Generation): OrderedRows {
  const from = `(SELECT entity, since, entity_id, external_id
    FROM members LEFT JOIN entities USING (entity) WHERE segment = ${String(id)})`
  return { key: ['entity'], from }
}
