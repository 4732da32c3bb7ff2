import type { Refusal } from '../../client/dossier.js'

/** Refusals with one value of a member. */
export interface RefusalCount {
  readonly value: string
  readonly count: number
}

/** How often each value occurs, the most frequent one first. */
export function countedBy(
  items: readonly Refusal[],
  valueOf: (item: Refusal) => string,
): readonly RefusalCount[] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(valueOf(item), (counts.get(valueOf(item)) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count)
}

/** The refusals of the last `ms` milliseconds. */
export function since(items: readonly Refusal[], ms: number, now: number): readonly Refusal[] {
  return items.filter(({ at }) => Date.parse(at) > now - ms)
}

/** `POST /events`. */
export function routeName({ method, route }: Refusal): string {
  return `${method} ${route}`
}

export interface RefusalFilter {
  readonly code: string
  readonly key: string
  readonly route: string
}

/** The refusals with these values; an empty value matches all. */
export function matching(
  items: readonly Refusal[],
  { code, key, route }: RefusalFilter,
): readonly Refusal[] {
  return items.filter(
    (item) =>
      (code === '' || item.code === code) &&
      (key === '' || item.key === key) &&
      (route === '' || routeName(item) === route),
  )
}
