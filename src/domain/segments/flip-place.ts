import type { Since } from './timeline.js'

/**
 * Where a flip is among those of its segment: by `at`, then by `position`, then by the entity. What time
 * does at an instant comes before what facts do then.
 */
export interface FlipPlace {
  /** In milliseconds since 1970. */
  readonly at: number
  /** Of the fact that did it; 0: time did it. */
  readonly position: number
}

/** A fact, as flips are compared with it. */
export type FlipBound = Pick<Since, 'logTime' | 'position'>

/** Whether a flip came after a fact; otherwise the fact's log time, or the fact itself, came after it. */
export function isAfter({ at, position }: FlipPlace, since: FlipBound): boolean {
  return at > since.logTime || (at === since.logTime && position > since.position)
}
