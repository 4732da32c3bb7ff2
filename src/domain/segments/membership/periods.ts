import type { DefinedSegment } from '../timeline.js'
import type { Cause, MembershipChange } from './membership.js'

/** When an entity entered a segment or left it, and why. */
export interface PeriodBound {
  /** In milliseconds since 1970. */
  readonly at: number
  readonly cause: Cause
}

/** A time that an entity was in a segment. */
export interface Period {
  readonly entered: PeriodBound
  /** Undefined: it is in it still. */
  readonly left: PeriodBound | undefined
}

/** Every time that an entity was in the segments of a replay. */
export class Periods {
  private readonly periods = new Map<string, Period[]>()
  private readonly keys: ReadonlyMap<string, string>

  constructor(lists: readonly (readonly DefinedSegment[])[]) {
    this.keys = new Map(lists.flat().map(({ key, active }) => [active.id, key]))
  }

  /** The first one first. */
  of(key: string): readonly Period[] {
    return this.periods.get(key) ?? []
  }

  readonly onChange = ({ segment, enters, at, cause }: MembershipChange): void => {
    const key = this.keys.get(segment) ?? segment
    const periods = this.periods.get(key) ?? []
    const last = periods.at(-1)
    if (enters) periods.push({ entered: { at, cause }, left: undefined })
    else if (last !== undefined) periods.splice(-1, 1, { ...last, left: { at, cause } })
    this.periods.set(key, periods)
  }
}

/**
 * The periods of valid time: of an instant counts what holds when everything has taken effect that does so
 * then. No period begins and ends at one instant, and none begins where the one before it ends.
 */
export function validPeriods(periods: readonly Period[]): readonly Period[] {
  const valid: Period[] = []
  for (const period of periods) {
    if (period.left?.at === period.entered.at) continue
    const last = valid.at(-1)
    if (last?.left?.at === period.entered.at) {
      valid.splice(-1, 1, { entered: last.entered, left: period.left })
    } else {
      valid.push(period)
    }
  }
  return valid
}
