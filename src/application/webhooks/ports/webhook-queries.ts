import type { JsonText } from '../../../domain/json.js'
import type { FactFilter } from '../../../domain/webhooks/fact-filter.js'
import { read, type TypesOf } from '../../reading/ports/query.js'

/** The queries of the read model for the delivery of webhooks. */
export const webhookQueries = {
  /**
   * Returns the next facts that at least one of the filters matches, in position order. Leaves out the facts of
   * erased entities.
   */
  webhookFacts: read<WebhookFactsQuery, WebhookFactsPage>({ cost: 'page' }),
  /** Returns the content to send for a fact. Undefined when the fact must not be sent, because its entity is erased. */
  webhookFact: read<WebhookFactQuery, OutgoingFact | undefined>({ cost: 'point' }),
  /** Counts the facts that a webhook has not delivered. */
  webhookLag: read<WebhookLagQuery, WebhookLag>({ cost: 'page' }),
  /** Returns the names of the events among the latest facts, the most frequent first. */
  latestEventNames: read<object, readonly string[]>({ cost: 'page' }),
} as const

export type WebhookQueries = TypesOf<typeof webhookQueries>

export interface WebhookFactsQuery {
  readonly after: number
  readonly filters: readonly FactFilter[]
  /** The maximum number of facts on the page. */
  readonly limit: number
}

/** A fact to deliver. Its content is read when it is sent. */
export interface WaitingFact {
  readonly position: number
  readonly id: string
  readonly type: string
  /**
   * The id of the entity that the fact is about. The facts of one entity are delivered in order. Absent when
   * the fact is about no entity.
   */
  readonly entityId?: string
}

/** A fact on a page that several webhooks share. */
export interface MatchedFact {
  readonly fact: WaitingFact
  /** The indexes of the filters in the query that match the fact. */
  readonly matchedBy: readonly number[]
}

export interface WebhookFactsPage {
  readonly facts: readonly MatchedFact[]
  /** The last fact that was read, or the last applied fact if no fact was read. */
  readonly reached: { readonly position: number; readonly id: string }
}

export interface WebhookFactQuery {
  readonly position: number
  /** Whether to return the profile of the entity. */
  readonly profile: boolean
}

export interface OutgoingFact {
  readonly position: number
  readonly id: string
  readonly type: string
  /** The time of the fact: UTC with milliseconds. */
  readonly at: string
  /** The erasure that the fact reports. Absent for other facts. */
  readonly erasureId?: string
  /** Whether the profile was left out, because it is too large. */
  readonly isProfileOmitted: boolean
  /** The fact's data with the names of the HTTP API, and the ids of the entity. */
  readonly data: JsonText
  /**
   * The profile of the entity. Absent when the query does not request it, when it is too large, or when there
   * is no entity.
   */
  readonly profile?: JsonText
}

export interface WebhookLagQuery {
  readonly after: number
  readonly filter: FactFilter
}

export interface WebhookLag {
  /** The number of counted facts. Only a limited number of facts is read. */
  readonly facts: number
  /** Whether the log has further facts that were not read. */
  readonly more: boolean
  /** The time of the first fact. Absent when there is none. */
  readonly oldestAt?: string
}

/** The maximum number of facts that `webhookLag` reads. */
export const maxCountedFacts = 10_000
/** The size of the largest profile that is sent, in bytes. */
export const maxProfileBytes = 1_048_576
/** The number of latest facts in which `latestEventNames` looks for names. */
export const factsWithNames = 2_000
