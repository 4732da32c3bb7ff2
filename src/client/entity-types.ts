/** Requests and replies about entities and their events. Names and values are those of the HTTP API. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/**
 * Any JSON object with at most 512 members, 8 levels, and keys of 1 to 255 characters. Whole numbers are
 * within ±(2⁵³ − 1). Send larger ones as strings.
 */
export type Properties = Readonly<Record<string, JsonValue>>

/** A customer or user to create. */
export interface NewEntity {
  /** 1 to 255 characters of any script, without control characters, and without white space at either end. */
  readonly external_id: string
  /** Default: `{}`. */
  readonly properties?: Properties
}

export interface CreatedEntity {
  readonly external_id: string
  readonly properties: Properties
  /** UTC with milliseconds, like all times in replies. */
  readonly created_at: string
}

/** At least one of `set` and `unset` is not empty, unless `upsert` is true. */
export interface EntityChange {
  /** Top-level properties with their new values. */
  readonly set?: Properties
  /** Names of properties to remove. */
  readonly unset?: readonly string[]
  /** Creates a missing entity with `set` as its properties. */
  readonly upsert?: boolean
}

export interface ChangedEntity {
  readonly external_id: string
  readonly set: Properties
  readonly unset: readonly string[]
  /** Null: the request changed nothing. */
  readonly updated_at: string | null
}

/** An event to record. */
export interface NewEvent {
  readonly entity_external_id: string
  /** Has the same form as `external_id`. */
  readonly name: string
  readonly properties?: Properties
  /** When the event happened: RFC 3339 with an offset, from 1900 to 60 s from now. Default: now. */
  readonly occurred_at?: string
  /** Creates a missing entity first, without properties. */
  readonly upsert?: boolean
}

export interface RecordedEvent {
  readonly id: string
  readonly entity_external_id: string
  readonly name: string
  readonly properties: Properties
  /** When the event was recorded. */
  readonly timestamp: string
  /** Present if it was sent. */
  readonly occurred_at?: string
}

/** Times in the past, RFC 3339 with an offset. `+` needs no escaping here. */
export interface PastQuery {
  /** Uses facts that took effect by this time. */
  readonly as_of?: string
  /** Uses facts that were recorded by this time. */
  readonly known_at?: string
}

export interface Profile {
  readonly external_id: string
  /** The id of the creation fact. Membership facts refer to the entity by this id. */
  readonly entity_id: string
  readonly properties: Properties
  readonly created_at: string
  readonly updated_at: string
  readonly event_count: number
  /** The latest time at which an event happened. Null without events. */
  readonly last_event_at: string | null
  readonly segments: readonly { readonly key: string; readonly since: string }[]
  /** Segments that are not served yet, so that it is unknown whether the entity is a member. */
  readonly segments_building?: readonly string[]
  /** Present in replies to requests with `as_of` or `known_at`. */
  readonly as_of?: string | null
  readonly known_at?: string | null
}

export interface PageQuery {
  /** `next_cursor` of the previous page. Keep the other parameters the same. */
  readonly cursor?: string
  /** The most items of a page, 1 to 1,000. Default: 100. A page also ends at 4 MiB of data. */
  readonly limit?: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Null at the end. */
  readonly next_cursor: string | null
}

/** At most one of `entity_id`, `starts_with`, and `property` with `is`. */
export interface EntityListQuery extends PageQuery {
  /** Lists only the entity with this id. */
  readonly entity_id?: string
  /**
   * Lists entities whose `external_id` begins with this text, in code point order of `external_id`. This
   * order differs from JavaScript's `<`.
   */
  readonly starts_with?: string
  /**
   * Lists entities that have exactly the text `is` at this JSON pointer. The pointer must be in the service's
   * `SEARCH_PROPERTIES`. Error: 422 `not_searchable`.
   */
  readonly property?: string
  readonly is?: string
}

export interface ListedEntity {
  readonly external_id: string
  readonly entity_id: string
  readonly properties: Properties
  readonly created_at: string
  readonly updated_at: string
}

export interface EventListQuery extends PageQuery {
  /** `occurred`: by the time of the event. `recorded`: by recording order. Default: `occurred`. */
  readonly by?: 'occurred' | 'recorded'
  /** Default: `desc`, newest first. */
  readonly order?: 'desc' | 'asc'
  /** The exact name of events to list. */
  readonly name?: string
  /** Inclusive lower bound: RFC 3339 with an offset. */
  readonly since?: string
  /** Exclusive upper bound. */
  readonly until?: string
}

export interface ListedEvent {
  readonly id: string
  readonly name: string
  readonly properties: Properties
  readonly timestamp: string
  /** Equals `timestamp` if none was sent. */
  readonly occurred_at: string
}

export interface HistoryEntry {
  readonly fact_id: string
  readonly changed_at: string
  readonly set: Properties
  readonly unset: readonly string[]
  readonly request_id: string
}

interface Keyed {
  /** 1 to 255 visible ASCII characters. Default: the client generates one. */
  readonly idempotency_key?: string
}

interface HandItem extends Keyed {
  readonly segment: string
  readonly external_id: string
  readonly reason?: string
}

/** One write of a batch. */
export type BatchItem =
  | ({ readonly op: 'create_entity' } & Keyed & NewEntity)
  | ({ readonly op: 'update_entity'; readonly external_id: string } & Keyed & EntityChange)
  | ({ readonly op: 'record_event' } & Keyed & NewEvent)
  | ({ readonly op: 'add_to_segment' } & HandItem)
  | ({ readonly op: 'remove_from_segment' } & HandItem)

/** Operations on entities and events by name, with request and reply. */
export interface EntityOperations {
  createEntity: { body: NewEntity; data: CreatedEntity }
  updateEntity: { body: EntityChange; data: ChangedEntity | CreatedEntity }
  getProfile: { query: PastQuery; data: Profile }
  listEntities: { query: EntityListQuery; data: Page<ListedEntity> }
  recordEvent: { body: NewEvent; data: RecordedEvent }
  getTimeline: { query: EventListQuery; data: Page<ListedEvent> }
  getHistory: { query: PageQuery; data: Page<HistoryEntry> }
}

export interface EntityCreated {
  readonly externalId: string
  readonly properties: Properties
  readonly createdAt: string
}

export interface EntityPropertiesChanged {
  readonly externalId: string
  readonly set: Properties
  readonly unset: readonly string[]
  readonly changedAt: string
}

export interface EventRecorded {
  readonly entityExternalId: string
  readonly name: string
  readonly properties: Properties
  readonly recordedAt: string
  /** Present if it was sent. */
  readonly occurredAt?: string
}

/** The facts of entities and events, by type. */
export interface EntityFactData {
  readonly EntityCreated: EntityCreated
  readonly EntityPropertiesChanged: EntityPropertiesChanged
  readonly EventRecorded: EventRecorded
}
