import type { LoggedFact } from '../facts/ports/fact-log.js'
import { FactDigest } from './fact-digest.js'
import { factsIn, notedPages, type Section } from './log-section.js'
import { type CopyProgress, beginAgain, CopyRefused } from './ports/fact-copy.js'

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
      for (const ours of facts) {
        sourceAt = await same(theirs, ours)
        targetAt = ours.position
      }
      read.add(facts)
    }
  } finally {
    await theirs.return()
  }
  return { read, sourceAt, targetAt }
}

/** Where the source's next fact is. */
async function same(theirs: AsyncIterator<LoggedFact, void>, ours: LoggedFact): Promise<number> {
  const next = await theirs.next()
  if (next.done === true || !isSame(next.value, ours)) throw otherFacts(ours)
  return next.value.position
}

function isSame(theirs: LoggedFact, ours: LoggedFact): boolean {
  return (
    theirs.id === ours.id &&
    theirs.stream === ours.stream &&
    theirs.type === ours.type &&
    theirs.data === ours.data &&
    theirs.metadata === ours.metadata
  )
}

function otherFacts({ id, stream, position }: LoggedFact): CopyRefused {
  return new CopyRefused(
    `the target holds other facts: ${id} at ${String(position)} in stream ` +
      `${JSON.stringify(stream)}, is not that of the source. Copy to a store that is empty or holds ` +
      `what the source begins with, in the same order: ${beginAgain}. Nothing was changed.`,
  )
}
