import { RefusalAt } from '../../src/application/ports/refusal.js'
import type { SegmentQueries } from '../../src/application/segments/ports/segment-queries.js'

/** What is answered to each question about segments. */
export type SegmentAnswers = {
  -readonly [Name in keyof SegmentQueries]: (
    query: SegmentQueries[Name]['query'],
  ) => SegmentQueries[Name]['answer']
}

/** Of a read model that serves no segment yet, and knows of one. */
export function buildingSegments(position: () => number): SegmentAnswers {
  const building = (): never => {
    throw new RefusalAt('building', position())
  }
  return {
    segments: building,
    segment: building,
    segmentVersions: building,
    segmentMembers: building,
    entitySegments: () => ({ items: [], building: ['buyers'] }),
    explainSegment: building,
    evaluateRule: building,
    segmentChanges: building,
    segmentCurve: building,
    estimateRule: building,
    previewRule: building,
    unpublished: building,
  }
}
