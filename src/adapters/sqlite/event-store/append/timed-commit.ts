import type { CommitMeasurements } from '../../ports/commit-observer.js'
import type { Checkpoints } from './checkpoints.js'
import type { QueuedAppend } from './flat-appends.js'
import type { WrittenGroup } from './group-outcome.js'
import type { GroupWriter } from './group-writer.js'

/** Writes a group, and says what it took. */
export function timedCommit(
  writer: GroupWriter,
  group: readonly QueuedAppend[],
  checkpoints: Checkpoints,
): CommitMeasurements & WrittenGroup {
  const begun = performance.now()
  const { outcomes, logPages } = writer.write(group)
  const seconds = (performance.now() - begun) / 1_000
  let facts = 0
  outcomes.forEach((outcome, at) => {
    if (typeof outcome === 'number') facts += group[at]?.facts.length ?? 0
  })
  return {
    outcomes,
    logPages,
    facts,
    seconds,
    checkpoint: checkpoints.takeLatest(),
    failedCheckpoints: checkpoints.takeFailures(),
  }
}
