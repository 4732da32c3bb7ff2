import type { DefinedSegment } from '../timeline.js'
import type { Cause, MembershipChange } from './membership.js'

/** An instant at which an entity entered or left a segment, and the cause. */
export interface PeriodBound {
  /** The instant, in milliseconds since 1970. */
  readonly at: number
  readonly cause: Cause
}

/** A period in which an entity was a member of a segment. */
export interface Period {
  readonly entered: PeriodBound
  /** Undefined while the entity is still a member. */
  readonly left: PeriodBound | undefined
}

/** Collects the membership periods of one entity during a replay. */
export class Periods {
  private readonly periods = new Map<string, Period[]>()
  private readonly keys: ReadonlyMap<string, string>

  constructor(lists: readonly (readonly DefinedSegment[])[]) {
    this.keys = new Map(lists.flat().map(({ key, active }) => [active.id, key]))
  }

  /** Returns the periods in one segment, oldest first. */
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
 * Converts periods to valid time, which has one state per instant: the state after all effects at that instant.
 * Drops periods that begin and end at one instant, and joins adjacent periods.
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
