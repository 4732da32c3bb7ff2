import { erasureQueries } from '../../erasing/ports/erasure-queries.js'
import type { Cancellation } from '../../ports/cancellation.js'
import type { JsonText } from '../../../domain/json.js'
import type { Profile } from '../../../domain/profile.js'
import type { StoredFact } from '../../facts/stored-fact.js'
import type { LoggedFact } from '../../facts/ports/fact-log.js'
import {
  segmentQueries,
  type EntitySegment,
  type PastBounds,
} from '../../segments/ports/segment-queries.js'
import { read, readOfEntity, type PageQuery, type Read, type TypesOf } from './query.js'

export interface Want {
  /** The position that the answer must include. `head`: everything in the store. Absent: the applied state. */
  readonly position?: number | 'head' | undefined
  /** How long to wait for the position, and for a segment to be built, in milliseconds. */
  readonly waitMs: number
  /** How long the query may run after that, in milliseconds. Default: one second. */
  readonly answerMs?: number | undefined
  /** Callers get equal shares of the read capacity. Absent: a read of this process itself. */
  readonly caller?: string | undefined
  readonly cancellation?: Cancellation | undefined
}

export interface Answer<T> {
  readonly value: T
  /** The position of the last fact that the answer includes. 0 when there is none. */
  readonly position: number
  /** Log time at the position, in milliseconds since 1970. 0 before the first fact. */
  readonly logTime: number
}

/** A profile, and the served segments of its entity, by key. */
export interface EntityProfile extends Omit<Profile, 'properties'> {
  readonly properties: JsonText
  readonly segments: readonly Pick<EntitySegment, 'key' | 'since'>[]
  /** See `EntitySegments.building`. */
  readonly segmentsBuilding: readonly string[]
}

export interface Part<Item, Cursor> {
  readonly items: readonly Item[]
  /**
   * The cursor of the next page. Undefined at the end. A page ends at 4 MiB of data, whatever the limit, and
   * is never empty while items are left.
   */
  readonly next: Cursor | undefined
}

interface EntitiesByNameQuery extends PageQuery<string> {
  /** Not empty. */
  readonly startsWith: string
}

interface EntitiesByPropertyQuery extends PageQuery<number> {
  /** A JSON pointer that the read model indexes. */
  readonly pointer: string
  /** Compared exactly. Only text values are indexed. */
  readonly text: string
}

export interface ListedEntity {
  readonly externalId: string
  /** The id of its creation fact. */
  readonly entityId: string
  readonly properties: JsonText
  readonly createdAt: string
  readonly updatedAt: string
}

export interface TimelineQuery extends PageQuery<TimelineCursor> {
  readonly externalId: string
  /** `occurred`: by the time of the event. `recorded`: by recording order. */
  readonly by: 'occurred' | 'recorded'
  readonly order: 'asc' | 'desc'
  /** Exact. */
  readonly name?: string | undefined
  /** Bounds for the time that `by` names, in milliseconds since 1970: `since` ≤ t < `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** The last event of a page. Events with equal instants are in recording order. */
export interface TimelineCursor {
  /** In milliseconds since 1970, of the time that `by` names. */
  readonly at: number
  readonly position: number
}

export interface TimelineItem {
  readonly id: string
  readonly name: string
  readonly properties: JsonText
  readonly recordedAt: string
  /** Equals `recordedAt` when the caller gave no time. */
  readonly occurredAt: string
}

interface HistoryQuery extends PageQuery<number> {
  readonly externalId: string
}

/** A change of properties. The creation counts as a change that sets all initial properties. */
export interface HistoryItem {
  readonly factId: string
  readonly changedAt: string
  readonly set: JsonText
  readonly unset: readonly string[]
  readonly requestId: string
}

export interface FactsQuery {
  readonly after: number
  readonly limit: number
  readonly types?: readonly string[] | undefined
  readonly stream?: string | undefined
  /** The most facts to examine, including those that do not pass the filter. */
  readonly lookAt?: number | undefined
  /** Rough limit of the bytes to examine. Default: 4 MiB. A single fact may exceed it. */
  readonly bytes?: number | undefined
}

/**
 * Facts in position order. A page before the head may have fewer than `limit` facts, because bytes are
 * limited too. Such a page has at least one fact, or `reached` is beyond `after`.
 */
export interface FactsPage {
  readonly facts: readonly FeedFact[]
  /** The last examined position. For a query beyond the last applied fact: the last applied fact. */
  readonly reached: Checkpoint
  /** Whether `reached` is the last applied position. The store may have more facts. */
  readonly atHead: boolean
}

/** A fact in the newest version of its type. */
export interface FeedFact extends Pick<LoggedFact, 'position' | 'id' | 'type' | 'stream'> {
  readonly data: JsonText
  readonly requestId: string
}

/** The last applied fact. Before the first fact, the position is 0 and the id is empty. */
export interface Checkpoint {
  readonly position: number
  readonly id: string
}

export interface FactsOfKey {
  readonly facts: readonly StoredFact[]
  readonly position: number
}

const declared = {
  ...segmentQueries,
  ...erasureQueries,
  profile: readOfEntity<{ readonly externalId: string }, EntityProfile>({ cost: 'point' }),
  /** The profile from facts that took effect by `asOf` and were in the log at log time `knownAt`. */
  profileAt: readOfEntity<PastBounds & { readonly externalId: string }, EntityProfile>({
    cost: 'fold',
    isFresh: true,
  }),
  /** In creation order. The cursor is the position of a creation. */
  entities: read<PageQuery<number>, Part<ListedEntity, number>>({ cost: 'page' }),
  /** By external id, in code point order. The cursor is the last external id of a page. */
  entitiesByName: read<EntitiesByNameQuery, Part<ListedEntity, string>>({ cost: 'page' }),
  /** In creation order. The cursor is the position of a creation. */
  entitiesByProperty: read<EntitiesByPropertyQuery, Part<ListedEntity, number>>({ cost: 'page' }),
  /** Undefined when the entity does not exist. The HTTP response is then an empty list. */
  entityById: read<{ readonly entityId: string }, ListedEntity | undefined>({ cost: 'point' }),
  timeline: readOfEntity<TimelineQuery, Part<TimelineItem, TimelineCursor>>({ cost: 'page' }),
  /** Newest first, the creation last. The cursor is a position. */
  history: readOfEntity<HistoryQuery, Part<HistoryItem, number>>({ cost: 'page', isFresh: true }),
  facts: read<FactsQuery, FactsPage>({ cost: 'page' }),
  /**
   * The facts first stored under an idempotency key of a stream (SHA-256, hex), and the position of the last
   * one. For stores without their own index of keys.
   */
  keyed: read<{ readonly stream: string; readonly key: string }, FactsOfKey | undefined>({
    cost: 'point',
  }),
  /**
   * The fact of ours at a position, if there is one. The id is empty if a fact of an erased entity may have
   * been there.
   */
  factAt: read<{ readonly position: number }, Checkpoint | undefined>({ cost: 'point' }),
}

export type Queries = TypesOf<typeof declared>

export type QueryName = keyof Queries
export type QueryOf<Name extends QueryName> = Queries[Name]['query']
export type AnswerOf<Name extends QueryName> = Answer<Queries[Name]['answer']>

export const queries: {
  readonly [Name in QueryName]: Read<
    Queries[Name]['query'],
    Queries[Name]['answer'],
    Queries[Name]['found']
  >
} = declared

export interface SegmentsStatus {
  /**
   * The next instant at which time alone may change a segment, in milliseconds since 1970. Undefined: never.
   */
  readonly nextDue: number | undefined
  readonly hasUnpublished: boolean
  /** Figures for metrics and `GET /status`, under names that the projection defines. */
  readonly figures: Readonly<Record<string, number>>
}

/** The external ids of full profiles (`isFullProfile`). `many` when there are too many to list. */
export type FullProfiles = readonly string[] | 'many'

export interface ReadStatus {
  readonly applied: Checkpoint
  /** No fact of ours lies between `applied` and this position. */
  readonly reached: number
  readonly newest: number
  /** Whether the read model is being built from the beginning of the log. It then answers no queries. */
  readonly isBuilding: boolean
  readonly fullProfiles: FullProfiles
  /** Log time at `applied`, in milliseconds since 1970. 0 before the first fact. */
  readonly logTime: number
  readonly builds: number
  /** Undefined while the read model answers no queries. */
  readonly segments: SegmentsStatus | undefined
  /** The reason why following the log has stopped. Undefined while it works. */
  readonly trouble: string | undefined
}

/**
 * State that each process derives from the log. Every answer gives its position and includes everything up to
 * there.
 *
 * `query` rejects with:
 *
 * - `read_model_behind`: the read model does not reach the wanted position in time, is being rebuilt, or does
 *   not
 *   answer.
 * - `position_unknown`: the position was beyond the end of the store during the whole wait.
 * - `overloaded`: too many queries run, the query took too long, or nobody waits for it.
 * - the errors at the query's declaration.
 */
export interface ReadModel {
  query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>>
  readonly status: ReadStatus
  /**
   * Calls the listener after facts were applied, and when a rebuild begins or ends. Returns a function that
   * ends this.
   */
  watch(listener: () => void): () => void
  close(): Promise<void>
}
