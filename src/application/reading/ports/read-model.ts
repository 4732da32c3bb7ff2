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
  /** All facts up to here; `head`: all that the store has. Absent: what is applied already. */
  readonly position?: number | 'head' | undefined
  /** How long the answer may wait for that, and for a segment to be built, in milliseconds. */
  readonly waitMs: number
  /** How long the answer may take then, in milliseconds; a second where nothing is said. */
  readonly answerMs?: number | undefined
  /** Who wants it: callers have equal shares of what reads may cost. Absent: this process itself. */
  readonly caller?: string | undefined
  readonly cancellation?: Cancellation | undefined
}

export interface Answer<T> {
  readonly value: T
  /** The position of the last fact that the answer rests on; 0 when there is none. */
  readonly position: number
  /** Log time there, in milliseconds since 1970; 0 before the first fact. */
  readonly logTime: number
}

/** A profile, and the segments that its entity is in: of those that are served, by key. */
export interface EntityProfile extends Omit<Profile, 'properties'> {
  readonly properties: JsonText
  readonly segments: readonly Pick<EntitySegment, 'key' | 'since'>[]
  /** `building` of `EntitySegments`. */
  readonly segmentsBuilding: readonly string[]
}

export interface Part<Item, Cursor> {
  readonly items: readonly Item[]
  /**
   * Where the next part begins; undefined at the end. A part ends when its data reaches 4 MiB, whatever
   * was wanted, and is never empty while something is left.
   */
  readonly next: Cursor | undefined
}

interface EntitiesByNameQuery extends PageQuery<string> {
  /** Not empty. */
  readonly startsWith: string
}

interface EntitiesByPropertyQuery extends PageQuery<number> {
  /** A JSON pointer that the read model is set to find entities by. */
  readonly pointer: string
  /** Exactly; values that are no text are found by none. */
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
  /** `occurred`: by the events' own time; `recorded`: in the order in which they were recorded. */
  readonly by: 'occurred' | 'recorded'
  readonly order: 'asc' | 'desc'
  /** Exact. */
  readonly name?: string | undefined
  /** In milliseconds since 1970, of the time that `by` names: `since` ≤ t < `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** The last event of a part: equal instants come in the order of recording. */
export interface TimelineCursor {
  /** The time that `by` names, in milliseconds since 1970. */
  readonly at: number
  readonly position: number
}

export interface TimelineItem {
  readonly id: string
  readonly name: string
  readonly properties: JsonText
  readonly recordedAt: string
  /** `recordedAt` where nothing else was said. */
  readonly occurredAt: string
}

interface HistoryQuery extends PageQuery<number> {
  readonly externalId: string
}

/** A change of properties; the creation is one, of all that it was created with. */
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
  /** Facts that are looked at, at most; those that do not pass count. */
  readonly lookAt?: number | undefined
  /** Bytes of the facts that are looked at, about; 4 MiB where nothing is said. One may have more. */
  readonly bytes?: number | undefined
}

/**
 * Facts in the order of their positions. There may be fewer than `limit` before the head: a page is
 * bounded in bytes too, and holds at least one fact or has come further than `after`.
 */
export interface FactsPage {
  readonly facts: readonly FeedFact[]
  /** All up to here were looked at. Of a query beyond the last applied fact: that one. */
  readonly reached: Checkpoint
  /** Nothing is applied beyond `reached`; of the store it says nothing. */
  readonly atHead: boolean
}

/** A fact as this version reads it: in the newest version of its type. */
export interface FeedFact extends Pick<LoggedFact, 'position' | 'id' | 'type' | 'stream'> {
  readonly data: JsonText
  readonly requestId: string
}

/** The last fact that was applied; position 0 and an empty id before the first. */
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
  /** By the facts that took effect by `asOf` and were in the log at log time `knownAt`. */
  profileAt: readOfEntity<PastBounds & { readonly externalId: string }, EntityProfile>({
    cost: 'fold',
    isFresh: true,
  }),
  /** In the order of creation; the cursor is the position of a creation. */
  entities: read<PageQuery<number>, Part<ListedEntity, number>>({ cost: 'page' }),
  /** By external id, in the order of code points; the cursor is the last one of a part. */
  entitiesByName: read<EntitiesByNameQuery, Part<ListedEntity, string>>({ cost: 'page' }),
  /** In the order of creation; the cursor is the position of a creation. */
  entitiesByProperty: read<EntitiesByPropertyQuery, Part<ListedEntity, number>>({ cost: 'page' }),
  /** Undefined: no such entity, which is an empty list. */
  entityById: read<{ readonly entityId: string }, ListedEntity | undefined>({ cost: 'point' }),
  timeline: readOfEntity<TimelineQuery, Part<TimelineItem, TimelineCursor>>({ cost: 'page' }),
  /** Newest first, the creation last; the cursor is a position. */
  history: readOfEntity<HistoryQuery, Part<HistoryItem, number>>({ cost: 'page', isFresh: true }),
  facts: read<FactsQuery, FactsPage>({ cost: 'page' }),
  /**
   * What was first stored under an idempotency key of a stream (SHA-256, hex), and the position of its
   * last fact. Only of stores that do not keep an index of keys themselves.
   */
  keyed: read<{ readonly stream: string; readonly key: string }, FactsOfKey | undefined>({
    cost: 'point',
  }),
  /**
   * The fact at a position, if there is one of ours. Its id is empty where there is none any more, and one of
   * an entity that is erased may have been there.
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
  /** When a segment may change because time passes, in milliseconds since 1970; undefined: never. */
  readonly nextDue: number | undefined
  readonly hasUnpublished: boolean
  /** What metrics and `GET /status` show, by the names that the projection gives. */
  readonly figures: Readonly<Record<string, number>>
}

/** The external ids of profiles that take no more properties (`isFullProfile`), unless they are too many. */
export type FullProfiles = readonly string[] | 'many'

export interface ReadStatus {
  readonly applied: Checkpoint
  /** No fact of ours lies between `applied` and here. */
  readonly reached: number
  readonly newest: number
  /** It is being built from the log's beginning: it answers nothing until it is there. */
  readonly isBuilding: boolean
  readonly fullProfiles: FullProfiles
  /** Log time at `applied`, in milliseconds since 1970; 0 before the first fact. */
  readonly logTime: number
  readonly builds: number
  /** Undefined while it answers nothing. */
  readonly segments: SegmentsStatus | undefined
  /** Why it cannot go on; undefined when it can. */
  readonly trouble: string | undefined
}

/**
 * What was folded of the log, derived and one a process. Every answer says up to which position it
 * knows, and is whole up to there.
 *
 * `query` rejects with
 * - `read_model_behind` — it does not know enough in time, or is being built, or does not answer
 * - `position_unknown` — the position lies beyond the store's end, and did so all the time
 * - `overloaded` — too many others are answered, or its answer took too long, or nobody waits for it
 * - what is said at the query besides
 */
export interface ReadModel {
  query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>>
  readonly status: ReadStatus
  /** Called after facts were applied, and when it begins or ends to be built. Returns what ends that. */
  watch(listener: () => void): () => void
  close(): Promise<void>
}
