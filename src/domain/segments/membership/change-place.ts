import type { Since } from '../timeline.js'

/**
 * Where a change is among those of its segment: by `at`, then by `position`, then by the entity. What time
 * does at an instant comes before what facts do then.
 */
export interface ChangePlace {
  /** In milliseconds since 1970. */
  readonly at: number
  /** The position of the fact that did it; 0: time did it. */
  readonly position: number
}

/** A fact, as changes are compared with it. */
export type ChangeBound = Pick<Since, 'logTime' | 'position'>

/** Whether a change came after a fact; otherwise the fact's log time, or the fact itself, came after it. */
export function isAfter({ at, position }: ChangePlace, since: ChangeBound): boolean {
  return at > since.logTime || (at === since.logTime && position > since.position)
}
