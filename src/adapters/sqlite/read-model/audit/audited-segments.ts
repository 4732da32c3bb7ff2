import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { liveBundle } from '../segments/bundles.js'
import type { KeptSegment } from '../segments/kept-segments.js'
import type { SegmentProjection } from '../segments/segment-projection.js'

/** A segment, and what the read model keeps of it. */
export interface AuditedSegment {
  /** For people. */
  readonly name: string
  readonly segment: DefinedSegment
  readonly kept: KeptSegment
}

/** As they are defined now and evaluated here, dependencies first. */
export function evaluatedSegments(projection: SegmentProjection): readonly AuditedSegment[] {
  return projection.catalog.segments.flatMap((segment) => auditedOf(projection, segment))
}

/** All whose members are asked for: those, and the versions that are served until others are built. */
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
  { kept }: SegmentProjection,
  segment: DefinedSegment,
): readonly AuditedSegment[] {
  const found = kept.get(segment.active.id)
  if (found?.bundle !== liveBundle) return []
  return [{ name: nameOf(segment), segment, kept: found }]
}

function nameOf({ key, version }: DefinedSegment): string {
  return `${key} version ${String(version)}`
}
