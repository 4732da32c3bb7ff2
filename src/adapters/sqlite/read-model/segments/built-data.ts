import type { SegmentBuilt } from '../../../../domain/segments/segment-facts.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { timestampIn } from '../columns.js'
import type { Baseline } from './baselines.js'

/** What the log is told of a segment that was built. */
export function builtData(
  { key, version, resolved, through }: DefinedSegment,
  { members, digest }: Baseline,
): SegmentBuilt['data'] {
  const builtAt = timestampIn(through.logTime)
  return { segment: key, version, resolved, through: through.factId, members, digest, builtAt }
}
