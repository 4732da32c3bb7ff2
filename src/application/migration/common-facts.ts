import type { LoggedFact } from '../facts/ports/fact-log.js'
import { FactDigest } from './fact-digest.js'
import { factsIn, notedPages, type Section } from './log-section.js'
import type { CopyProgress } from './ports/copy-progress.js'
import { beginAgain, CopyRefused } from './ports/copy-refused.js'

/** What both sides hold, and where it ends in each. */
export interface CommonFacts {
  readonly read: FactDigest
  readonly sourceAt: number
  readonly targetAt: number
}

/** All that the target holds. Throws `CopyRefused` unless it is what the source begins with. */
export async function commonFacts(
  from: Section,
  into: Section,
  progress: CopyProgress,
): Promise<CommonFacts> {
  const read = new FactDigest()
  let [sourceAt, targetAt] = [0, 0]
  const theirs = factsIn(from)
  progress.begin('looking')
  try {
    for await (const facts of notedPages(into, progress)) {
      for (const [index, ours] of facts.entries()) {
        const { value } = await theirs.next()
        if (!isSame(value ?? undefined, ours)) throw otherFacts(ours, read.facts + index + 1)
        sourceAt = value?.position ?? sourceAt
        targetAt = ours.position
      }
      read.add(facts)
    }
  } finally {
    await theirs.return()
  }
  return { read, sourceAt, targetAt }
}

function isSame(theirs: LoggedFact | undefined, ours: LoggedFact): boolean {
  return (
    theirs?.id === ours.id &&
    theirs.stream === ours.stream &&
    theirs.type === ours.type &&
    theirs.data === ours.data &&
    theirs.metadata === ours.metadata
  )
}

function otherFacts({ id, stream }: LoggedFact, place: number): CopyRefused {
  return new CopyRefused(
    `the target holds other facts: its fact ${String(place)}, ${id} of stream ` +
      `${JSON.stringify(stream)}, is not that of the source. Copy to a store that is empty or holds ` +
      `what the source begins with, in the same order: ${beginAgain}. Nothing was changed.`,
  )
}
