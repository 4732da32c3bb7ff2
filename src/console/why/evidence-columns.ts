import type { ListedEvent } from '../../client/dossier.js'

/** As many columns as fit beside the times. */
const shownAtMost = 3

/** The properties of events to show beside them: those with a plain value, the most frequent first. */
export function evidenceColumns(events: readonly ListedEvent[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { properties } of events) {
    for (const [name, value] of Object.entries(properties))
      if (typeof value !== 'object') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, shownAtMost)
    .map(([name]) => name)
}
