import type { CountRule, Rule } from './segment-types.js'

export interface PreviewRequest {
  readonly rule: Rule
  /** A segment whose members are compared with those that the rule has. */
  readonly against?: string
  /** How many `external_id`s each sample has at most, 0–100; 10 if nothing is said. */
  readonly sample?: number
  /** A JSON pointer to a number in the properties of an event, `/total`: members are ranked by its sum. */
  readonly sum?: string
}

/** By some entities at random: in 95 of 100 cases, from `low` to `high` members. */
export interface PreviewEstimate {
  readonly position: string
  readonly log_time: string
  /** How many there are. */
  readonly entities: number
  readonly looked_at: number
  readonly members: number
  readonly low: number
  readonly high: number
}

export interface PreviewProgress {
  readonly entities: number
  /** How many of them were looked at, and how many of those the rule catches. */
  readonly done: number
  readonly members: number
}

/** Exact at its position: what a segment with this rule would have there. */
export interface PreviewResult {
  readonly position: string
  readonly log_time: string
  readonly members: number
  readonly digest: string
  /** Some `external_id`s at random, in the order of creation. */
  readonly sample: readonly string[]
  /** Who would enter and leave what it is compared with; without that, all members enter. */
  readonly entering: PreviewChange
  readonly leaving: PreviewChange
  /** Null where the rule counts no events. */
  readonly top: PreviewRanking | null
  /** The names of all events that there are; of more than 50, those met first. */
  readonly event_names: readonly string[]
  /** Names in the rule of which there is no event. */
  readonly unseen_events: readonly string[]
}

/** Up to 20 members with the highest sums, or else with the most events, by a condition of the rule. */
export interface PreviewRanking {
  readonly by: CountRule
  readonly items: readonly RankedMember[]
}

export interface RankedMember {
  readonly external_id: string
  /** How many events the condition counts, whatever it asks for. */
  readonly count: number
  /** Null where no sum was asked for. */
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
