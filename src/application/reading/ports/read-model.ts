import { erasureQueries } from '../../erasing/ports/erasure-queries.js'
import type { Cancellation } from '../../ports/cancellation.js'
import type { JsonText } from '../../../domain/json.js'
import type { RecordedEvent } from '../../../domain/event.js'
import type { Profile } from '../../../domain/profile.js'
import type { StoredFact } from '../../facts/stored-fact.js'
import type { LoggedFact } from '../../facts/ports/fact-log.js'
import {
  isOfPast,
  segmentQueries,
  type EntitySegment,
  type PastBounds,
} from '../../segments/ports/segment-queries.js'
import { dictionaryQueries } from './dictionary-queries.js'
import { webhookQueries } from '../../webhooks/ports/webhook-queries.js'
import { read, readOfEntity, type PageQuery, type Read, type TypesOf } from './query.js'

export interface Want {
  /**
   * The position that the answer must include. `head` means all facts in the store. When absent, the answer
   * includes the facts that are already applied.
   */
  readonly position?: number | 'head' | undefined
  /**
   * The longest time that the query waits for the position and for the backfill of a segment, in
   * milliseconds.
   */
  readonly waitMs: number
  /** The longest time that the query may run after the wait, in milliseconds. The default is one second. */
  readonly answerMs?: number | undefined
  /**
   * The caller whose share the query uses. All callers get equal shares of the read capacity. Absent for a
   * query of this process itself.
   */
  readonly caller?: string | undefined
  readonly cancellation?: Cancellation | undefined
}

export interface Answer<T> {
  readonly value: T
  /** The position of the last fact that the answer includes, or 0 when there is none. */
  readonly position: number
  /** The log time at the position, in milliseconds since 1970. 0 before the first fact. */
  readonly logTime: number
}

/** The profile of an entity, and the segments that it is a member of. */
export interface EntityProfile extends Omit<Profile, 'properties'> {
  readonly properties: JsonText
  readonly segments: readonly Pick<EntitySegment, 'key' | 'since'>[]
  /** The keys of the segments that are not backfilled yet: see `EntitySegments.building`. */
  readonly segmentsBuilding: readonly string[]
}

export interface Part<Item, Cursor> {
  readonly items: readonly Item[]
  /**
   * The cursor of the next page, or undefined at the end of the list. A page ends at its limit of items, or at
   * 4 MiB of data. Only the last page can be empty.
   */
  readonly next: Cursor | undefined
}

/** The properties that each listed entity contains. */
interface Picked {
  /** JSON pointers. If they are given, `properties` contains the values at these pointers, by pointer. */
  readonly properties?: readonly string[] | undefined
}

interface EntitiesQuery extends PageQuery<number>, Picked {
  /** Whether each listed entity contains `lastEventAt`. */
  readonly withLastEvent?: boolean | undefined
}

interface EntitiesByNameQuery extends PageQuery<string>, Picked {
  /** The text with which the listed external ids begin. Not empty. */
  readonly startsWith: string
}

interface EntitiesByPropertyQuery extends PageQuery<number>, Picked {
  /** A JSON pointer that the read model has an index for. */
  readonly pointer: string
  /** The text at the pointer, compared exactly. Other JSON values are not in the index. */
  readonly text: string
}

export interface ListedEntity {
  readonly externalId: string
  /** The entity's id, which is the id of the fact that created it. */
  readonly entityId: string
  readonly properties: JsonText
  /** The own time of the creation. */
  readonly createdAt: string
  readonly recordedAt: string
  readonly updatedAt: string
  /**
   * The latest time of occurrence of an event. Undefined if there is no event, or if the query does not request
   * this time.
   */
  readonly lastEventAt: string | undefined
}

/**
 * A search for entities that have a value at a JSON pointer, either in their profile or in one of their events.
 * Each query searches for a short time. The next query continues where the previous query ended.
 */
export interface SearchQuery extends Picked {
  readonly pointer: string
  /** The text at the pointer. It also matches a number or a boolean whose JSON is this text. */
  readonly text: string
  /** The name of the events to search. Undefined for a search in profiles. */
  readonly event?: string | undefined
  /** Whether voided events are searched, too. */
  readonly withVoided?: boolean
  /** The end of the previous part. Undefined for the first part. */
  readonly after?: SearchPlace | undefined
  /** The maximum number of hits of this part, and the approximate limit of their bytes. */
  readonly limit: number
  readonly bytes: number
}

/** The number of the last searched entity, and the number of entities that were searched up to this entity. */
export interface SearchPlace {
  readonly entity: number
  readonly done: number
}

export interface SearchHit extends Omit<ListedEntity, 'lastEventAt'> {
  /** The newest event that matches, in a search of events. A voided event only if no other one matches. */
  readonly eventId: string | undefined
  readonly occurredAt: string | undefined
  /** The time of its void. Undefined when it is not voided. */
  readonly voidedAt: string | undefined
}

export interface SearchPart {
  /** True if an index found all hits for this text. */
  readonly isIndexed: boolean
  /** The number of all entities. */
  readonly entities: number
  /** The number of entities that were searched so far. 0 if only an index was read. */
  readonly done: number
  /** The place at which the next part continues. Undefined after the last entity. */
  readonly next: SearchPlace | undefined
  readonly items: readonly SearchHit[]
}

export interface HistoryQuery extends PageQuery<TimelineCursor>, PastBounds {
  readonly externalId: string
  /** The order of the list: `occurred` is by own time, and `recorded` is by position in the log. */
  readonly by: 'occurred' | 'recorded'
  readonly order: 'asc' | 'desc'
  /** The bounds `since` ≤ t < `until` of the time t that `by` names, in milliseconds since 1970. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface TimelineQuery extends HistoryQuery {
  /** The exact name of the events to list. When absent, events of any name are listed. */
  readonly name?: string | undefined
  /** Whether voided events are listed, too. Default: false. */
  readonly withVoided?: boolean | undefined
}

/** The last item of a page. Items of one instant are in position order. */
export interface TimelineCursor {
  /** The item's own time or its time of recording, depending on `by`, in milliseconds since 1970. */
  readonly at: number
  readonly position: number
}

export interface TimelineItem {
  readonly id: string
  readonly name: string
  readonly properties: JsonText
  readonly recordedAt: string
  /** The time that the caller gave, or `recordedAt` when the caller gave none. */
  readonly occurredAt: string
  /** The time of the void. Undefined when the event is not voided. */
  readonly voidedAt: string | undefined
  /** The reason of the void. Undefined when the event is not voided, or was voided without a reason. */
  readonly voidReason: string | undefined
}

export interface EventQuery {
  readonly externalId: string
  /** Any text. */
  readonly eventId: string
}

/**
 * The answer about one event. `event` is undefined when the entity has no event with the id. Voided events are
 * also found.
 */
export interface EventAnswer {
  readonly event: RecordedEvent | undefined
}

/**
 * A property change. The creation of the entity counts as a change that sets all initial
 * properties.
 */
export interface HistoryItem {
  readonly factId: string
  readonly changedAt: string
  /** The time that the caller gave, or `changedAt` when the caller gave none. */
  readonly occurredAt: string
  readonly set: JsonText
  readonly unset: readonly string[]
  readonly requestId: string
}

export interface FactsQuery {
  readonly after: number
  readonly limit: number
  readonly types?: readonly string[] | undefined
  readonly stream?: string | undefined
  /**
   * The maximum number of facts to read for the page, including facts that do not match the filter.
   */
  readonly lookAt?: number | undefined
  /** The approximate limit of the bytes to read, 4 MiB by default. A single fact may exceed it. */
  readonly bytes?: number | undefined
}

/**
 * Facts in position order. Because bytes are limited too, a page before the end of the log may have fewer than
 * `limit` facts. Such a page either contains a fact, or its `reached` is greater than the `after` of the query.
 */
export interface FactsPage {
  readonly facts: readonly FeedFact[]
  /** The last position that was read. If the query begins after the last applied fact, the position of that fact. */
  readonly reached: Checkpoint
  /** True if `reached` is the last applied position. The store may already have more facts. */
  readonly atHead: boolean
}

/** A fact in the feed. Its data is in the newest version of its type. */
export interface FeedFact extends Pick<LoggedFact, 'position' | 'id' | 'type' | 'stream'> {
  readonly data: JsonText
  readonly requestId: string
}

/** The last applied fact. When no fact is applied, the position is 0 and the id is empty. */
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
  ...dictionaryQueries,
  ...webhookQueries,
  profile: readOfEntity<{ readonly externalId: string }, EntityProfile>({ cost: 'point' }),
  /**
   * Returns the profile that results from the facts that took effect by `asOf` and were in the log at log time
   * `knownAt`.
   */
  profileAt: readOfEntity<PastBounds & { readonly externalId: string }, EntityProfile>({
    cost: 'fold',
    isFresh: true,
  }),
  /** Lists entities in the order of their creation. The cursor is the position of a creation. */
  entities: read<EntitiesQuery, Part<ListedEntity, number>>({ cost: 'page' }),
  /**
   * Lists the entities with the latest events, in descending order of these events. The list has only one page,
   * because new events change the order.
   */
  entitiesByLastEvent: read<Picked & { readonly limit: number }, Part<ListedEntity, number>>({
    cost: 'page',
  }),
  searchEntities: read<SearchQuery, SearchPart>({ cost: 'page' }),
  /** Lists entities by external id, in code point order. The cursor is the last external id of a page. */
  entitiesByName: read<EntitiesByNameQuery, Part<ListedEntity, string>>({ cost: 'page' }),
  /** Lists entities in the order of their creation. The cursor is the position of a creation. */
  entitiesByProperty: read<EntitiesByPropertyQuery, Part<ListedEntity, number>>({ cost: 'page' }),
  /**
   * Finds an entity by its id. The answer is undefined when no entity has the id, and the HTTP response is then
   * an empty list.
   */
  entityById: read<Picked & { readonly entityId: string }, ListedEntity | undefined>({
    cost: 'point',
  }),
  timeline: readOfEntity<TimelineQuery, Part<TimelineItem, TimelineCursor>>({
    cost: 'page',
    isFresh: isOfPast,
  }),
  /** Finds an event of an entity by its id. The answer is undefined when the entity does not exist. */
  event: read<EventQuery, EventAnswer | undefined>({ cost: 'page' }),
  /** Lists the creation and the property changes. */
  history: readOfEntity<HistoryQuery, Part<HistoryItem, TimelineCursor>>({
    cost: 'page',
    isFresh: true,
  }),
  facts: read<FactsQuery, FactsPage>({ cost: 'page' }),
  /**
   * Returns the facts that were first stored under an idempotency key of a stream, and the position of the last
   * of them. The key is a SHA-256 in hex. Stores without an index of idempotency keys use this query.
   */
  keyed: read<{ readonly stream: string; readonly key: string }, FactsOfKey | undefined>({
    cost: 'point',
  }),
  /**
   * Returns the fact of Dossier at a position, if there is one. The id is empty if a removed fact of an erased
   * entity may have been at this position.
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
   * The next instant at which a membership may change without a new fact, in milliseconds since 1970.
   * Undefined when there is no such instant.
   */
  readonly nextDue: number | undefined
  readonly hasUnpublished: boolean
  /** The figures for metrics and for `GET /status`. The projections define their names. */
  readonly figures: Readonly<Record<string, number>>
}

/** The size of the dictionary. */
export interface DictionaryStatus {
  /** The number of event names. */
  readonly names: number
  /** True after an event name was left out, until the read model is rebuilt. */
  readonly isFull: boolean
}

/** The status that a read model has while it answers queries. */
export interface ProjectedStatus {
  readonly segments: SegmentsStatus
  readonly dictionary: DictionaryStatus
}

/** The external ids of the full profiles (`isFullProfile`), or `many` when there are too many ids to list. */
export type FullProfiles = readonly string[] | 'many'

/** The status of a read model. The members of `ProjectedStatus` are absent while it answers no queries. */
export interface ReadStatus extends Partial<ProjectedStatus> {
  readonly applied: Checkpoint
  /**
   * The position up to which the log has been read. The log contains no fact of Dossier between `applied` and
   * this position.
   */
  readonly reached: number
  readonly newest: number
  /** True while a rebuild is running. The read model then answers no queries. */
  readonly isBuilding: boolean
  readonly fullProfiles: FullProfiles
  /** The log time at `applied`, in milliseconds since 1970. 0 before the first fact. */
  readonly logTime: number
  readonly builds: number
  /** The reason why the read model does not apply new facts. Undefined while it applies them. */
  readonly trouble: string | undefined
}

/**
 * The state that each process derives from the fact log. Every answer has a position and includes all facts up
 * to that position.
 *
 * `query` rejects with:
 *
 * - `read_model_behind`: the read model does not reach the position of the query in time, is being rebuilt, or
 * does not answer.
 * - `position_unknown`: the position of the query was after the end of the store during the whole wait.
 * - `overloaded`: too many queries run, the query took too long, or the query was cancelled.
 * - the errors in the query's declaration.
 */
export interface ReadModel {
  query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>>
  readonly status: ReadStatus
  /**
   * Calls the listener after facts were applied, and when a rebuild begins and ends. Returns a
   * function that removes the listener.
   */
  watch(listener: () => void): () => void
  close(): Promise<void>
}
