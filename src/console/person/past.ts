import type { HistoryEntry, ListedEvent, Page, Pages, PastQuery } from '../../client/dossier.js'

/** The times in an address: as of a time, as known at a time. */
export function pastIn(query: URLSearchParams): PastQuery {
  const [asOf, knownAt] = [query.get('as_of') ?? '', query.get('known_at') ?? '']
  return {
    ...(asOf === '' ? {} : { as_of: asOf }),
    ...(knownAt === '' ? {} : { known_at: knownAt }),
  }
}

export function isPast({ as_of, known_at }: PastQuery): boolean {
  return (as_of ?? known_at) !== undefined
}

/** A millisecond later: the `until` of a list that includes this time. */
export function justAfter(time: string): string {
  const at = Date.parse(time)
  // The service refuses a text that is not a time.
  return Number.isNaN(at) ? time : new Date(at + 1).toISOString()
}

/** Pages that are read at most to fill one page of events that were known. */
const pagesAtMost = 20

/**
 * One page of the events that were recorded by `known_at`. The service pages by all events, so several of
 * its pages are read until one is full of known events. The page may be longer than asked for.
 */
export async function knownPage(
  events: Pick<Pages<ListedEvent>, 'page'>,
  { known_at: at }: PastQuery,
  cursor: string | undefined,
): Promise<Page<ListedEvent>> {
  let page = await events.page(cursor)
  if (at === undefined) return page
  const wanted = page.items.length
  const known: ListedEvent[] = []
  for (let pages = 1; ; pages += 1) {
    known.push(...page.items.filter(({ timestamp }) => Date.parse(timestamp) <= Date.parse(at)))
    if (known.length >= wanted || pages === pagesAtMost || page.next_cursor === null) break
    page = await events.page(page.next_cursor)
  }
  return { ...page, items: known }
}

/** The changes that were recorded by then. A change takes effect when it is recorded. */
export function changesKnown(
  entries: readonly HistoryEntry[],
  { as_of = '', known_at = '' }: PastQuery,
): readonly HistoryEntry[] {
  const bounds = [as_of, known_at].map((time) => Date.parse(time)).filter((at) => !Number.isNaN(at))
  return entries.filter(({ changed_at: at }) => bounds.every((bound) => Date.parse(at) <= bound))
}
