import type { FactLog, LoggedFact, LogPage } from '../facts/ports/fact-log.js'
import { type CopyProgress, beginAgain, CopyRefused } from './ports/fact-copy.js'
import { FactDigest } from './fact-runs.js'

/** The facts of a fact log after the position `after`, up to and including the position `until`. */
export interface Section {
  readonly log: FactLog
  readonly after: number
  readonly until: number
}

async function* pagesIn({ log, after, until }: Section): AsyncGenerator<LogPage, void> {
  if (after >= until) return
  const leaving = new AbortController()
  try {
    for await (const { facts, reached } of log.follow(after, leaving.signal)) {
      yield { facts: facts.filter(({ position }) => position <= until), reached }
      if (reached >= until) return
    }
  } finally {
    leaving.abort()
  }
}

/**
 * Yields the facts of a section in pages. Calls `note` with each page before the page is yielded. Reports
 * progress after the caller has processed the page.
 */
export async function* notedPages(
  section: Section,
  progress: CopyProgress,
  note: (facts: readonly LoggedFact[]) => void = () => undefined,
): AsyncGenerator<readonly LoggedFact[], void> {
  const { after, until } = section
  for await (const { facts, reached } of pagesIn(section)) {
    note(facts)
    yield facts
    progress.done(facts.length, Math.min(1, (reached - after) / (until - after)))
  }
}

export async function* factsIn(section: Section): AsyncGenerator<LoggedFact, void> {
  for await (const { facts } of pagesIn(section)) yield* facts
}

interface CommonFacts {
  readonly read: FactDigest
  readonly sourceAt: number
  readonly targetAt: number
}

/**
 * Reads all facts of the target, and compares them with the first facts of the source. Returns the digest of
 * the target's facts, and the position of the last common fact in each store. Throws `CopyRefused` when the
 * facts differ.
 */
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

/** Reads the source's next fact and returns its position. Throws `CopyRefused` when this fact differs from `ours`. */
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
      `${JSON.stringify(stream)}, differs from the fact of the source. Copy to a store that is empty or has ` +
      `the first facts of the source, in their order: ${beginAgain}. Nothing was changed.`,
  )
}
