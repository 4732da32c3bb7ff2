import type { CommitFigures } from './commit-observer.js'
import type { Checkpoints } from './checkpoints.js'
import type { GroupWriter } from './group-writer.js'
import type { Outcome, Ticketed } from './protocol.js'

/** Writes a group, and says what it took. */
export function timedCommit(
  writer: GroupWriter,
  group: readonly Ticketed[],
  checkpoints: Checkpoints,
): CommitFigures & { readonly outcomes: readonly Outcome[] } {
  const begun = performance.now()
  const outcomes = writer.write(group)
  const seconds = (performance.now() - begun) / 1_000
  let facts = 0
  for (const [at, { kind }] of outcomes.entries()) {
    if (kind === 'stored') facts += group[at]?.append.facts.length ?? 0
  }
  return { outcomes, facts, seconds, checkpoint: checkpoints.takeLatest() }
}
