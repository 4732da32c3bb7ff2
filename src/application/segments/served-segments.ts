import type { ServedSegment, ServedSegments } from './ports/served-segments.js'
import { unlessRefused, refusedAnswers } from '../ports/refusal.js'
import type { ReadModel } from '../reading/ports/read-model.js'
import type { SegmentInfo } from './ports/segment-queries.js'

const nothing: ServedSegment = {
  status: 'building',
  servingVersion: undefined,
  progress: undefined,
  members: undefined,
  digest: undefined,
}

/** By the read model of this process; undefined: it has none. */
export function servedSegments(readModel: ReadModel | undefined): ServedSegments {
  return {
    servedOf: async ({ key, version, ...want }) => {
      if (readModel === undefined) return nothing
      const answer = readModel.query('segment', { key }, want)
      const info = await unlessRefused(answer, 'position_unknown', ...refusedAnswers)
      return info?.value?.version === version ? servedIn(info.value) : nothing
    },
  }
}

function servedIn(info: SegmentInfo): ServedSegment {
  const { status, servingVersion, progress, members, digest } = info
  return { status, servingVersion, progress, members, digest }
}
