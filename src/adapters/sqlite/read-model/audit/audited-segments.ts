import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Generation } from '../segments/generations.js'
import type { SegmentProjection } from '../segments/segment-projection.js'

/** A segment, and what the read model keeps of it. */
export interface AuditedSegment {
  /** For people. */
  readonly name: string
  readonly segment: DefinedSegment
  readonly generation: Generation
}

/** As they are defined now and evaluated here, dependencies first. */
export function evaluatedSegments(projection: SegmentProjection): readonly AuditedSegment[] {
  return projection.catalog.segments.flatMap((segment) => auditedOf(projection, segment))
}

/** All whose members are compared: those, and the versions that are served until others are built. */
export function countedSegments(projection: SegmentProjection): readonly AuditedSegment[] {
  const { segments, served } = projection.catalog
  const all = new Map([...segments, ...served].map((segment) => [segment.active.id, segment]))
  return [...all.values()].flatMap((segment) => auditedOf(projection, segment))
}

/** Those of now that are not evaluated here, and why, for people. */
export function passedOver(projection: SegmentProjection): readonly string[] {
  return projection.catalog.segments.flatMap((segment) => {
    if (auditedOf(projection, segment).length > 0) return []
    const reason = segment.isForeign ? 'its rule is of a later program' : 'it is being built'
    return [`${nameOf(segment)}: ${reason}`]
  })
}

function auditedOf(
  { generations }: SegmentProjection,
  segment: DefinedSegment,
): readonly AuditedSegment[] {
  const generation = generations.built(segment.active.id)
  return generation === undefined ? [] : [{ name: nameOf(segment), segment, generation }]
}

function nameOf({ key, version }: DefinedSegment): string {
  return `${key} version ${String(version)}`
}
