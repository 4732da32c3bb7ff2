import type { Append } from '../../application/ports/event-store.js'
import type { CommitFigures } from './commit-observer.js'
import type { Checkpoints } from './checkpoints.js'
import type { GroupWriter } from './group-writer.js'
import type { Outcome } from './protocol.js'

/** Writes a group, and says what it took. */
export function timedCommit(
  writer: GroupWriter,
  group: readonly Append[],
  checkpoints: Checkpoints,
): CommitFigures & { readonly outcomes: readonly Outcome[] } {
  const begun = performance.now()
  const outcomes = writer.write(group)
  const seconds = (performance.now() - begun) / 1_000
  let facts = 0
  outcomes.forEach((outcome, at) => {
    if (typeof outcome === 'number') facts += group[at]?.facts.length ?? 0
  })
  return {
    outcomes,
    facts,
    seconds,
    checkpoint: checkpoints.takeLatest(),
    failedCheckpoints: checkpoints.takeFailures(),
  }
}
