import type { LoggedFact, LogPage } from '../facts/ports/fact-log.js'
import type { CopyProgress, FactSource } from './ports/fact-copy.js'

/** A part of a log, and what of it is passed over. */
export interface Section {
  readonly store: FactSource
  readonly removed: ReadonlySet<string>
  /** Positions: without this one, and with the other. */
  readonly after: number
  readonly until: number
}

export async function* pagesIn({
  store,
  removed,
  after,
  until,
}: Section): AsyncGenerator<LogPage, void> {
  if (after >= until) return
  const leaving = new AbortController()
  try {
    for await (const { facts, reached } of store.log.follow(after, leaving.signal)) {
      const ours = facts.filter(({ stream, position }) => position <= until && !removed.has(stream))
      yield { facts: ours, reached }
      if (reached >= until) return
    }
  } finally {
    leaving.abort()
  }
}

/** The facts in pages, each of which is noted first and shown as progress. */
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

/** The same, one fact at a time. */
export async function* factsIn(section: Section): AsyncGenerator<LoggedFact, void> {
  for await (const { facts } of pagesIn(section)) yield* facts
}
