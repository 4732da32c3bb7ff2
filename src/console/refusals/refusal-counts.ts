import type { Refusal } from '../../client/dossier.js'

/** The number of refusals that have one value in a field. */
export interface RefusalCount {
  readonly value: string
  readonly count: number
}

/** Returns how often each value occurs, the most frequent value first. */
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

/** Returns the refusals of the last `ms` milliseconds. */
export function since(items: readonly Refusal[], ms: number, now: number): readonly Refusal[] {
  return items.filter(({ at }) => Date.parse(at) > now - ms)
}

/** Returns the method and the route: `POST /events`. */
export function routeName({ method, route }: Refusal): string {
  return `${method} ${route}`
}

export interface RefusalFilter {
  readonly code: string
  readonly key: string
  readonly route: string
}

/** Returns the refusals with these values. An empty value matches all refusals. */
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
