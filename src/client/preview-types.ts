import type { CountRule, Rule } from './segment-types.js'

export interface PreviewRequest {
  readonly rule: Rule
  /** The segment to compare the rule's members with. */
  readonly against?: string
  /** The most `external_id`s in each sample, 0 to 100. Default: 10. */
  readonly sample?: number
  /**
   * A JSON pointer to a number in the properties of events, such as `/total`. Members are ranked by its sum.
   */
  readonly sum?: string
}

/** An estimate from a random sample. The true number of members is from `low` to `high` in 95 of 100 cases. */
export interface PreviewEstimate {
  readonly position: string
  readonly log_time: string
  /** The number of all entities. */
  readonly entities: number
  readonly looked_at: number
  readonly members: number
  readonly low: number
  readonly high: number
}

export interface PreviewProgress {
  readonly entities: number
  /** The number of evaluated entities. `members` counts the members among them. */
  readonly done: number
  readonly members: number
}

/** The exact result at its position. */
export interface PreviewResult {
  readonly position: string
  readonly log_time: string
  readonly members: number
  readonly digest: string
  /** Random `external_id`s of members, in creation order. */
  readonly sample: readonly string[]
  /** Entities that would enter and leave the compared segment. Without one, all members enter. */
  readonly entering: PreviewChange
  readonly leaving: PreviewChange
  /** Null when the rule counts no events. */
  readonly top: PreviewRanking | null
  /** The names of all recorded events. If there are more than 50, the first ones met. */
  readonly event_names: readonly string[]
  /** Names in the rule that no event has. */
  readonly unseen_events: readonly string[]
}

/** Up to 20 members with the highest sums, or without sums the most events, by a condition of the rule. */
export interface PreviewRanking {
  readonly by: CountRule
  readonly items: readonly RankedMember[]
}

export interface RankedMember {
  readonly external_id: string
  /** The number of events that the condition counts, whatever number it requires. */
  readonly count: number
  /** Null when no sum was requested. */
  readonly sum: number | null
}

export interface PreviewChange {
  readonly count: number
  readonly sample: readonly string[]
}

export type PreviewFrame =
  | { readonly event: 'estimate'; readonly data: PreviewEstimate }
  | { readonly event: 'progress'; readonly data: PreviewProgress }
  | { readonly event: 'result'; readonly data: PreviewResult }
