/** What is sent and answered about entities and their events: names and values as the HTTP API has them. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/**
 * Any JSON object: at most 512 members, 8 levels, keys of 1–255 characters. Whole numbers within
 * ±(2⁵³ − 1); larger ones as strings.
 */
export type Properties = Readonly<Record<string, JsonValue>>

/** A customer or user, as it is created. */
export interface NewEntity {
  /** 1–255 characters of any script, no control characters, no white space at either end. */
  readonly external_id: string
  /** Left out: `{}`. */
  readonly properties?: Properties
}

export interface CreatedEntity {
  readonly external_id: string
  readonly properties: Properties
  /** UTC with milliseconds, as all times in answers. */
  readonly created_at: string
}

/** At least one of `set` and `unset` is not empty, unless `upsert` is true. */
export interface EntityChange {
  /** Whole values, each in place of what the entity has under that name. */
  readonly set?: Properties
  /** Names of properties that are to be gone. */
  readonly unset?: readonly string[]
  /** Creates an entity that does not exist, with `set` as its properties. */
  readonly upsert?: boolean
}

export interface ChangedEntity {
  readonly external_id: string
  readonly set: Properties
  readonly unset: readonly string[]
  /** Null: there was nothing to change. */
  readonly updated_at: string | null
}

/** What happened to an entity, as it is recorded. */
export interface NewEvent {
  readonly entity_external_id: string
  /** By the rules of `external_id`. */
  readonly name: string
  readonly properties?: Properties
  /** When it happened, if that is not now: RFC 3339 with an offset, from 1900 to 60 s from now. */
  readonly occurred_at?: string
  /** Creates an entity that does not exist first, without properties. */
  readonly upsert?: boolean
}

export interface RecordedEvent {
  readonly id: string
  readonly entity_external_id: string
  readonly name: string
  readonly properties: Properties
  /** When it was recorded. */
  readonly timestamp: string
  /** There if it was sent. */
  readonly occurred_at?: string
}

/** A time in the past, RFC 3339 with an offset; `+` needs no escaping here. */
export interface PastQuery {
  /** By what took effect by then, as recorded up to now. */
  readonly as_of?: string
  /** By what was recorded by then. */
  readonly known_at?: string
}

export interface Profile {
  readonly external_id: string
  /** The id of its creation; what facts about members name it by. */
  readonly entity_id: string
  readonly properties: Properties
  readonly created_at: string
  readonly updated_at: string
  readonly event_count: number
  /** The latest time at which an event happened; null without events. */
  readonly last_event_at: string | null
  readonly segments: readonly { readonly key: string; readonly since: string }[]
  /** Segments of which nothing is served yet: whether the entity is in them is not known. */
  readonly segments_building?: readonly string[]
  /** Both are there if one of them was asked for. */
  readonly as_of?: string | null
  readonly known_at?: string | null
}

export interface PageQuery {
  /** `next_cursor` of the page before, with the same parameters. */
  readonly cursor?: string
  /** Items of a page, 1–1,000; 100 if nothing is said. A page also ends when its data reaches 4 MiB. */
  readonly limit?: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Null at the end. */
  readonly next_cursor: string | null
}

/** At most one of `entity_id`, `starts_with`, and `property` with `is`. */
export interface EntityListQuery extends PageQuery {
  /** That one, or none. */
  readonly entity_id?: string
  /**
   * Those whose `external_id` begins with it, by `external_id` in the order of code points, which is not
   * that of JavaScript's `<`.
   */
  readonly starts_with?: string
  /**
   * A JSON pointer that the service's `SEARCH_PROPERTIES` names, else 422 `not_searchable`; with `is`. Those
   * that have exactly that text there.
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
  /** By the events' own time (`occurred`, if nothing is said), or as they were stored. */
  readonly by?: 'occurred' | 'recorded'
  /** `desc`, newest first, if nothing is said. */
  readonly order?: 'desc' | 'asc'
  /** This name exactly. */
  readonly name?: string
  /** From this time on: RFC 3339 with an offset. */
  readonly since?: string
  /** Before this time. */
  readonly until?: string
}

export interface ListedEvent {
  readonly id: string
  readonly name: string
  readonly properties: Properties
  readonly timestamp: string
  /** `timestamp`, where none was sent. */
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
  /** 1–255 visible ASCII characters. The client makes one if there is none. */
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

/** Operations on entities and events, by name: what each is sent, and what it answers. */
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
  /** There if it was sent. */
  readonly occurredAt?: string
}

/** The facts of entities and their events, by their types. */
export interface EntityFactData {
  readonly EntityCreated: EntityCreated
  readonly EntityPropertiesChanged: EntityPropertiesChanged
  readonly EventRecorded: EventRecorded
}
