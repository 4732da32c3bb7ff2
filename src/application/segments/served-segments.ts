import { unlessRefused, refusedAnswers } from '../ports/refusal.js'
import type { ReadModel } from '../reading/ports/read-model.js'
import type { ServedSegment } from './ports/segment-queries.js'

/**
 * Returns the state of a version that was just defined at `position`. Waits up to `waitMs` for the
 * read model. The definition is stored, whatever the read model answers.
 */
export type ServedOf = (defined: {
  readonly key: string
  readonly version: number
  readonly position: number
  readonly waitMs: number
}) => Promise<ServedSegment>

const nothing: ServedSegment = {
  status: 'building',
  servingVersion: undefined,
  progress: undefined,
  members: undefined,
  digest: undefined,
}

/**
 * Returns a `ServedOf` that reads the read model of this process. `readModel` is undefined when the
 * process has no read model.
 */
export function servedOfIn(readModel: ReadModel | undefined): ServedOf {
  return async ({ key, version, ...want }) => {
    if (readModel === undefined) return nothing
    const answer = readModel.query('segment', { key }, want)
    const info = await unlessRefused(answer, 'position_unknown', ...refusedAnswers)
    return info?.value?.version === version ? info.value : nothing
  }
}
