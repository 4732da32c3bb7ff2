// Generated from the schemas of the OpenAPI document. Do not edit: run `npm run generate`.
// Hash of the schemas: c6e19220daf02687

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** Any JSON object. Whole numbers are within ±(2⁵³ − 1): send larger ones as strings. */
export type Properties = { readonly [key: string]: JsonValue }

/** One write of a batch. */
export type BatchItem =
  | {
      /** The kind of write. */
      readonly op: 'create_entity'
      /** The idempotency key. The rules of the header Idempotency-Key apply. */
      readonly idempotency_key?: string
      /** Your name for the customer or user. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly external_id: string
      /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Default: {}. */
      readonly properties?: Properties
      /** When the customer or user first existed. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. The year is at least 1900, and the time is at most 60 seconds after receipt. A second 60 is refused. Digits beyond milliseconds are cut off. */
      readonly occurred_at?: string
    }
  | {
      /** The kind of write. */
      readonly op: 'update_entity'
      /** The idempotency key. The rules of the header Idempotency-Key apply. */
      readonly idempotency_key?: string
      /** The properties to set. Each value replaces the whole former value of its property. */
      readonly set?: Properties
      /** The names of properties to remove. Names that the entity does not have are ignored. */
      readonly unset?: readonly string[]
      /** Creates the entity if it does not exist, with `set` as its properties. */
      readonly upsert?: boolean
      /** When the properties changed. For each property, the change with the latest time wins. If the request creates the entity, this is also the time of the creation. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. The year is at least 1900, and the time is at most 60 seconds after receipt. A second 60 is refused. Digits beyond milliseconds are cut off. */
      readonly occurred_at?: string
      /** Your name for the customer or user. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly external_id: string
    }
  | {
      /** The kind of write. */
      readonly op: 'record_event'
      /** The idempotency key. The rules of the header Idempotency-Key apply. */
      readonly idempotency_key?: string
      /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly entity_external_id: string
      /** The name of the event. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly name: string
      /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Default: {}. */
      readonly properties?: Properties
      /** The time of the event. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. The year is at least 1900, and the time is at most 60 seconds after receipt. A second 60 is refused. Digits beyond milliseconds are cut off. */
      readonly occurred_at?: string
      /** Creates a missing entity first, without properties and with the time of the event. */
      readonly upsert?: boolean
    }
  | {
      /** The kind of write. */
      readonly op: 'void_event'
      /** The idempotency key. The rules of the header Idempotency-Key apply. */
      readonly idempotency_key?: string
      /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly entity_external_id: string
      /** The event's id. */
      readonly event_id: string
      /** The reason. It is stored in the fact. */
      readonly reason?: string
    }
  | {
      /** The kind of write. */
      readonly op: 'add_to_segment'
      /** The idempotency key. The rules of the header Idempotency-Key apply. */
      readonly idempotency_key?: string
      /** The reason. It is stored in the fact. */
      readonly reason?: string
      /** The key of the segment. */
      readonly segment: string
      /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly external_id: string
    }
  | {
      /** The kind of write. */
      readonly op: 'remove_from_segment'
      /** The idempotency key. The rules of the header Idempotency-Key apply. */
      readonly idempotency_key?: string
      /** The reason. It is stored in the fact. */
      readonly reason?: string
      /** The key of the segment. */
      readonly segment: string
      /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly external_id: string
    }

/** A fixed time, or a time relative to log time. */
export type Boundary =
  | string
  | {
      /** A number of minutes, hours, days or weeks, such as 30m, 12h, 7d or 2w. */
      readonly ago: string
    }
  | {
      /** A number of minutes, hours, days or weeks, such as 30m, 12h, 7d or 2w. */
      readonly ahead: string
    }

/** A fixed pseudo-random share of all entities. */
export interface BucketRule {
  /** A share of all entities. For one salt and share, the selected entities never change. */
  readonly bucket: {
    /** A text that selects the entities of the share. Another salt selects other entities. */
    readonly salt?: string
    /** The share in percent, 0 to 100. */
    readonly below: number
  }
}

export interface ChangedEntity {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The JSON value that was sent. */
  readonly set: Properties
  /** The names of the removed properties. */
  readonly unset: readonly string[]
  /** When the change was recorded. Null if there was nothing to change: no fact is stored, and Position is the position of the creation. */
  readonly updated_at: string | null
  /** The own time, in UTC with milliseconds. Present if it was sent. */
  readonly occurred_at?: string
}

export interface ChangedMember {
  /** The key of the segment. */
  readonly segment: string
  /** The external_id of the entity. */
  readonly external_id: string
  /** The reason. Present if it was sent. */
  readonly reason?: string
  /** When the change was recorded. */
  readonly at: string
}

/** The required number of events. */
export type Count =
  | {
      /** The minimum number of events. */
      readonly gte: number
    }
  | {
      /** The maximum number of events. */
      readonly lte: number
    }
  | {
      /** The exact number of events. */
      readonly eq: number
    }

/** A condition on the number of events: within a window that ends now, or between fixed times. */
export interface CountRule {
  /** The name of the events, or the beginning of the name. */
  readonly event: EventName
  /** Only events that pass these tests count. */
  readonly where?: Where
  /** A window that ends now. Cannot be combined with after and before. */
  readonly within?: string
  /** Only events at or after this instant count. */
  readonly after?: string
  /** RFC 3339 with an offset, or a day, which means midnight UTC. */
  readonly before?: string
  /** Default: at least one event. */
  readonly count?: Count
}

export interface CreatedEntity {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** When the customer or user first existed. Equals `recorded_at` if the caller sent no time. */
  readonly created_at: string
  /** The time at which the creation was recorded. */
  readonly recorded_at: string
}

export interface DefinedWebhook {
  /** The key of the webhook. */
  readonly key: string
  /** Each change makes a new version: 1, 2, 3, … */
  readonly version: number
  /** The name of the webhook, for people. */
  readonly title: string | null
  /** The scheme, host and port of the URL. */
  readonly origin: string
  /** The types of facts that are sent. Null means all types that can be sent. */
  readonly types: readonly string[] | null
  /** The names of the events that are sent. Null means that every fact is sent. */
  readonly events: readonly string[] | null
  /** The segments whose facts are sent. Null means that every fact is sent. */
  readonly segments: readonly string[] | null
  /** The entity whose facts are sent. Null means that every fact is sent. */
  readonly entity_id: string | null
  /** Whether each message contains the profile of the entity. */
  readonly profile: boolean
  /** The state of the webhook. failing: the receiver did not accept the last attempt to deliver a fact. */
  readonly state: 'active' | 'paused' | 'failing'
  /** The pause. Null while the webhook is not paused. */
  readonly paused: {
    /** The origin of the pause. */
    readonly by: 'request' | 'receiver' | 'service'
    /** requested: a request paused the webhook. gone: the receiver replied with 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the webhook's position. */
    readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The failure of the receiver. Null while the receiver does not fail. */
  readonly failing: {
    /** UTC with milliseconds. */
    readonly since: string
    /** The status of the reply. Null without a reply. */
    readonly status: number | null
    /** The error of the last attempt. */
    readonly error: string
  } | null
  /** The progress of delivery. The sending process reports the current progress, and other replicas are up to 60 seconds late. */
  readonly delivered_to: {
    /** The position up to which all facts are delivered. */
    readonly position: string
    /** The cursor of the fact at this position. */
    readonly cursor: string
  }
  /** The lag. Null when the read model does not answer. */
  readonly behind: {
    /** The number of facts that are not delivered yet. */
    readonly facts: number
    /** Whether there may be more undelivered facts, because only the next 10,000 facts of the log are read. */
    readonly more: boolean
    /** The age of the oldest of these facts. */
    readonly seconds: number
  } | null
  /** The last delivery. Null before the first delivery. */
  readonly last_delivery: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The status of the reply. */
    readonly status: number
  } | null
  /** UTC with milliseconds. */
  readonly defined_at: string
  /** The secret that signs messages, in the format of Standard Webhooks. It is shown only once: store it at the receiver. */
  readonly secret?: string
  /** The names in the filter that the service does not know. */
  readonly hints: readonly string[]
}

/** One broken rule of a request. */
export interface Detail {
  /** For a body, a JSON Pointer; "" is the whole body. For a path or query parameter, its name; "" is the whole query. */
  readonly path: string
  /** The code of the broken rule, for programs. */
  readonly code: DetailCode
  /** The broken rule, for people. */
  readonly message: string
}

/** The code of the broken rule, for programs. */
export type DetailCode =
  | 'required'
  | 'wrong_type'
  | 'empty'
  | 'too_long'
  | 'too_many'
  | 'too_deep'
  | 'unknown_field'
  | 'bad_characters'
  | 'ill_formed'
  | 'number_out_of_range'
  | 'conflict'
  | 'unknown_operation'
  | 'not_a_time'
  | 'in_future'
  | 'unknown_segment'
  | 'cycle'

export interface Dictionary {
  /** The names of events, the most frequent first. */
  readonly events: readonly DictionaryEvent[]
  /** The properties of the profiles as they are now, the most frequent first. */
  readonly properties: readonly DictionaryProperty[]
  /** Whether all names and properties are present. False if there are too many, or while events are being counted again. */
  readonly complete: boolean
}

export interface DictionaryEvent {
  /** The name of the events. */
  readonly name: string
  /** The number of events. */
  readonly count: number
  /** The UTC day of the first event, by the events' own times. */
  readonly first_day: string
  /** The UTC day of the last event, by the events' own times. */
  readonly last_day: string
  /** The properties of the events, the most frequent first. */
  readonly properties: readonly DictionaryProperty[]
}

export interface DictionaryProperty {
  /** The JSON pointer of the property, with up to three steps. */
  readonly pointer: string
  /** The number of values by JSON type. A type without values is absent. */
  readonly types: {
    /** The number of texts. */
    readonly string?: number
    /** The number of numbers. */
    readonly number?: number
    /** The number of true and false. */
    readonly boolean?: number
    /** The number of nulls. */
    readonly null?: number
    /** The number of objects. */
    readonly object?: number
    /** The number of arrays. */
    readonly array?: number
  }
  /** The number of values of all types. */
  readonly count: number
}

/** An entity was added to a segment by hand. Has an effect on segments of the kind hand only. */
export interface EntityAddedToSegment {
  /** The externalId of the entity. */
  readonly external_id: string
  /** The key of the segment. */
  readonly segment: string
  /** The reason, in the words of the caller. */
  readonly reason?: string
  /** The time of the change: UTC, milliseconds. */
  readonly at: string
}

export interface EntityAddedToSegmentFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityAddedToSegment'
  /** The stream of the fact. */
  readonly stream: string
  /** An entity was added to a segment by hand. Has an effect on segments of the kind hand only. */
  readonly data: EntityAddedToSegment
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface EntityChange {
  /** The properties to set. Each value replaces the whole former value of its property. */
  readonly set?: Properties
  /** The names of properties to remove. Names that the entity does not have are ignored. */
  readonly unset?: readonly string[]
  /** Creates the entity if it does not exist, with `set` as its properties. */
  readonly upsert?: boolean
  /** When the properties changed. For each property, the change with the latest time wins. If the request creates the entity, this is also the time of the creation. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. The year is at least 1900, and the time is at most 60 seconds after receipt. A second 60 is refused. Digits beyond milliseconds are cut off. */
  readonly occurred_at?: string
}

/** An entity (a customer or user) was created. The first fact of its stream. */
export interface EntityCreated {
  /** The external_id of the entity, exactly as the caller sent it. */
  readonly external_id: string
  /** The JSON object that the caller sent, or {} if the caller sent none. */
  readonly properties: Properties
  /** The time at which the service created the entity: UTC, milliseconds. */
  readonly created_at: string
  /** The time at which the customer or user came to be, as the caller sent it: UTC, milliseconds. Absent when the caller sent none; the fact then has version 1. */
  readonly occurred_at?: string
}

export interface EntityCreatedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityCreated'
  /** The stream of the fact. */
  readonly stream: string
  /** An entity (a customer or user) was created. The first fact of its stream. */
  readonly data: EntityCreated
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** An entity is a member of the segment from here on. */
export interface EntityEnteredSegment {
  /** The key of the segment. */
  readonly segment: string
  /** The version of the segment that was served. */
  readonly version: number
  /** The id of the entity's creation fact: its `entity_id`. */
  readonly entity_id: string
  /** The time of the change: UTC, milliseconds. If a fact caused the change, the highest instant of all facts up to that fact. If the passing of time caused it, the instant at which the change was due. */
  readonly at: string
  /** The cause of the change. */
  readonly cause: {
    /** The kind of the cause: an event, a change of properties, the creation, a change by hand, a change of another segment that the rule names, the passing of time, or a void of an event. */
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time' | 'voided'
    /** The id of the fact that caused the change. Absent if time caused it. */
    readonly fact_id?: string
  }
}

export interface EntityEnteredSegmentFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityEnteredSegment'
  /** The stream of the fact. */
  readonly stream: string
  /** An entity is a member of the segment from here on. */
  readonly data: EntityEnteredSegment
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** The entity is erased: delete all data of this entity_id. The last fact of its stream. Facts that follow in the stream before another EntityCreated are erased too. */
export interface EntityErased {
  /** The id of the EntityErasureRecorded. */
  readonly erasure_id: string
  /** The id of the entity's creation fact: its `entity_id`. */
  readonly entity_id: string
  /** The time of the erasure: UTC, milliseconds. */
  readonly at: string
  /** Facts about other entities whose log time came from an erased fact. Absent if there are none. */
  readonly clock?: readonly {
    /** The id of a fact about another entity. */
    readonly fact: string
    /** A lower limit of the highest instant of all facts up to that fact. */
    readonly at: string
  }[]
}

export interface EntityErasedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityErased'
  /** The stream of the fact. */
  readonly stream: string
  /** The entity is erased: delete all data of this entity_id. The last fact of its stream. Facts that follow in the stream before another EntityCreated are erased too. */
  readonly data: EntityErased
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** The erasure of an entity was requested. The entity is erased at its EntityErased. */
export interface EntityErasureRecorded {
  /** The id of the entity's creation fact: its `entity_id`. */
  readonly entity_id: string
  /** True if the external_id cannot be used again after the erasure. */
  readonly suppress: boolean
  /** The services that follow the facts and have to confirm the erasure. */
  readonly recipients: readonly string[]
  /** The caller's reference of the request. */
  readonly reference?: string
  /** The time at which the service recorded this fact: UTC, milliseconds. */
  readonly at: string
  /** HMAC-SHA-256 of the external_id, in hex. The key is the id of this fact. Present in EventStoreDB only, where the external_id stays in the name of the stream. */
  readonly subject?: string
}

export interface EntityErasureRecordedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityErasureRecorded'
  /** The stream of the fact. */
  readonly stream: string
  /** The erasure of an entity was requested. The entity is erased at its EntityErased. */
  readonly data: EntityErasureRecorded
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** An entity is no longer a member of the segment. */
export interface EntityLeftSegment {
  /** The key of the segment. */
  readonly segment: string
  /** The version of the segment that was served. */
  readonly version: number
  /** The id of the entity's creation fact: its `entity_id`. */
  readonly entity_id: string
  /** The time of the change: UTC, milliseconds. If a fact caused the change, the highest instant of all facts up to that fact. If the passing of time caused it, the instant at which the change was due. */
  readonly at: string
  /** The cause of the change. */
  readonly cause: {
    /** The kind of the cause: an event, a change of properties, the creation, a change by hand, a change of another segment that the rule names, the passing of time, a void of an event, or the erasure of the entity. */
    readonly kind:
      | 'event'
      | 'properties'
      | 'created'
      | 'hand'
      | 'segment'
      | 'time'
      | 'voided'
      | 'erased'
    /** The id of the fact that caused the change. Absent if time caused it. */
    readonly fact_id?: string
  }
}

export interface EntityLeftSegmentFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityLeftSegment'
  /** The stream of the fact. */
  readonly stream: string
  /** An entity is no longer a member of the segment. */
  readonly data: EntityLeftSegment
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** Properties of an entity were set or unset. They may have had the same values before. */
export interface EntityPropertiesChanged {
  /** The externalId of the entity. */
  readonly external_id: string
  /** The set properties. Each value replaces the whole former value of its property. */
  readonly set: Properties
  /** The names of the unset properties. The entity may not have had them. */
  readonly unset: readonly string[]
  /** The time at which the service recorded the change: UTC, milliseconds. */
  readonly changed_at: string
  /** The time of the change, as the caller sent it: UTC, milliseconds. Absent when the caller sent none; the fact then has version 1. */
  readonly occurred_at?: string
}

export interface EntityPropertiesChangedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityPropertiesChanged'
  /** The stream of the fact. */
  readonly stream: string
  /** Properties of an entity were set or unset. They may have had the same values before. */
  readonly data: EntityPropertiesChanged
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** An entity was removed from a segment by hand. Has an effect on segments of the kind hand only. */
export interface EntityRemovedFromSegment {
  /** The externalId of the entity. */
  readonly external_id: string
  /** The key of the segment. */
  readonly segment: string
  /** The reason, in the words of the caller. */
  readonly reason?: string
  /** The time of the change: UTC, milliseconds. */
  readonly at: string
}

export interface EntityRemovedFromSegmentFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EntityRemovedFromSegment'
  /** The stream of the fact. */
  readonly stream: string
  /** An entity was removed from a segment by hand. Has an effect on segments of the kind hand only. */
  readonly data: EntityRemovedFromSegment
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface EntitySegments {
  /** The segments of the entity. */
  readonly items: readonly {
    /** The key of the segment. */
    readonly key: string
    /** The version of the segment. */
    readonly version: number
    /** UTC with milliseconds. */
    readonly since: string
    /** The first instant at which membership changes if no more facts are recorded. Null if it never changes. */
    readonly until: string | null
  }[]
  /** The keys of segments that this process does not serve yet. Membership in these segments is unknown until they are built. Absent if there are none. */
  readonly segments_building?: readonly string[]
}

/** The service has removed the facts of the entity. The store may still hold copies. */
export interface ErasedFactsRemoved {
  /** The id of the EntityErasureRecorded. */
  readonly erasure_id: string
  /** The time and position at which the stream of the entity was closed. */
  readonly closed_at: {
    /** The time at which the stream of the entity was closed: UTC, milliseconds. */
    readonly at: string
    /** The position of the EntityErased of the entity. */
    readonly position: string
  }
  /** The number of removed facts, by type. */
  readonly facts: {
    readonly [key: string]: number
  }
  /** The number of removed idempotency keys. */
  readonly keys: number
  /** The number of segments that the entity left because of the erasure. */
  readonly memberships: number
  /** The time at which the service recorded this fact: UTC, milliseconds. */
  readonly at: string
  /** The id of the entity's creation fact. Delete all data of this entity_id. The EntityErased fact asks for the same, but the store may have removed that fact. Absent in version 1. */
  readonly entity_id?: string
  /** Facts about other entities whose log time came from an erased fact. Absent if there are none. */
  readonly clock?: readonly {
    /** The id of a fact about another entity. */
    readonly fact: string
    /** A lower limit of the highest instant of all facts up to that fact. */
    readonly at: string
  }[]
  /** The positions of removed facts: the first, the last, and some between. Absent if the store keeps the positions. */
  readonly positions?: readonly string[]
}

export interface ErasedFactsRemovedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'ErasedFactsRemoved'
  /** The stream of the fact. */
  readonly stream: string
  /** The service has removed the facts of the entity. The store may still hold copies. */
  readonly data: ErasedFactsRemoved
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface ErasureConfirmation {
  /** The name of the recipient. With the scope erase, it may be the name of a node whose disk is gone for good. Send no personal data: the service keeps this text for ever. */
  readonly recipient: string
  /** The position up to which the recipient has processed the facts. */
  readonly position: string
}

/** A recipient has processed the facts up to a position at or after the erasure. */
export interface ErasureConfirmed {
  /** The id of the EntityErasureRecorded. */
  readonly erasure_id: string
  /** The name of the recipient. */
  readonly recipient: string
  /** The position up to which the recipient has processed the facts. */
  readonly position: string
  /** The time at which the service recorded this fact: UTC, milliseconds. */
  readonly at: string
}

export interface ErasureConfirmedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'ErasureConfirmed'
  /** The stream of the fact. */
  readonly stream: string
  /** A recipient has processed the facts up to a position at or after the erasure. */
  readonly data: ErasureConfirmed
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** The data that an erasure would remove. */
export interface ErasureDryRun {
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The number of facts by type. */
  readonly facts: {
    readonly [key: string]: number
  }
  /** The number of idempotency keys. */
  readonly keys: number
  /** The keys of the entity's segments. */
  readonly segments: readonly string[]
}

/** A place that had facts of the entity, or a recipient. */
export interface ErasurePlace {
  /** The name of the place in the store, or of the recipient. */
  readonly place: string
  /** The node of the store. Absent for a place without nodes. */
  readonly node?: string
  /** purged: the place has no data of the entity. until_vacuum: the place may have data until the file is rewritten (npm run vacuum). waiting: the place may have data. confirmed: a recipient has confirmed. */
  readonly state: 'waiting' | 'purged' | 'until_vacuum' | 'confirmed'
  /** The event that a waiting place waits for. */
  readonly for?: 'active_chunk' | 'scavenge' | 'unreachable'
  /** When this state was first seen. */
  readonly at?: string
  /** The method of the check. */
  readonly verified?: string
}

/** The state of a place that had facts of the entity differs from its state at the check before. */
export interface ErasurePlaceChecked {
  /** The id of the EntityErasureRecorded. */
  readonly erasure_id: string
  /** The name of the place. */
  readonly place: string
  /** The node of the store. Absent for a place without nodes. */
  readonly node?: string
  /** purged: the place has no data of the entity. waiting: the place may have data. until_vacuum: the place may have data until the file is vacuumed. */
  readonly state: 'waiting' | 'purged' | 'until_vacuum'
  /** The event that a waiting place waits for. */
  readonly for?: 'active_chunk' | 'scavenge' | 'unreachable'
  /** The method of the check. */
  readonly verified?: string
  /** The time at which the service recorded this fact: UTC, milliseconds. */
  readonly at: string
}

export interface ErasurePlaceCheckedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'ErasurePlaceChecked'
  /** The stream of the fact. */
  readonly stream: string
  /** The state of a place that had facts of the entity differs from its state at the check before. */
  readonly data: ErasurePlaceChecked
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** The progress of an erasure. */
export interface ErasureReceipt {
  /** The id of the erasure. */
  readonly erasure: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** Whether reuse of the external_id is blocked. */
  readonly suppress: boolean
  /** Your reference for the request. */
  readonly reference: string | null
  /** UTC with milliseconds. */
  readonly requested_at: string
  /** The time and position from which the entity no longer exists. Null until they are recorded. */
  readonly effective: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The position of the entity's EntityErased fact. */
    readonly position: string
  } | null
  /** The data that was removed from the store. Null if nothing has been removed yet. */
  readonly removed: {
    /** The number of facts by type. */
    readonly facts: {
      readonly [key: string]: number
    }
    /** The number of idempotency keys. */
    readonly keys: number
    /** The number of facts about memberships. */
    readonly memberships: number
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The places that had facts of the entity, and the recipients. */
  readonly places: readonly ErasurePlace[]
  /** When reuse of the external_id was permitted. Null if it has not been permitted. */
  readonly suppression_lifted_at: string | null
  /** Data that this erasure does not reach. */
  readonly remains: readonly string[]
}

/** The external_id of an erased entity may be used again. */
export interface ErasureSuppressionLifted {
  /** The id of the EntityErasureRecorded. */
  readonly erasure_id: string
  /** The time at which the service recorded this fact: UTC, milliseconds. */
  readonly at: string
}

export interface ErasureSuppressionLiftedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'ErasureSuppressionLifted'
  /** The stream of the fact. */
  readonly stream: string
  /** The external_id of an erased entity may be used again. */
  readonly data: ErasureSuppressionLifted
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface EvaluatedEntity {
  /** The external_id of the entity. */
  readonly external_id: string
  /** Whether the entity exists. */
  readonly exists: boolean
  /** Whether the entity is a member. */
  readonly member: boolean
  /** The entry of a current member. Null if the entity is not a member. */
  readonly since: string | null
  /** The first instant at which membership changes if no more facts are recorded. Null if it never changes. */
  readonly until: string | null
  /** All periods during which the entity was a member. */
  readonly periods: readonly {
    /** The entry. */
    readonly entered: MembershipChange
    /** The exit. Null while the entity is a member. */
    readonly left: MembershipChange | null
  }[]
  /** Null if the entity does not exist. */
  readonly why: Why | null
}

export interface Evaluation {
  /** The condition that an entity must meet. */
  readonly rule: Rule
  /** The external_ids of the entities. */
  readonly external_ids: readonly string[]
  /** Uses only facts that took effect by this time. */
  readonly as_of?: string
  /** Uses only facts and definitions that were known at this time. */
  readonly known_at?: string
}

/** The name of the events, or the beginning of the name. */
export type EventName =
  | string
  | {
      /** The beginning of the name. */
      readonly starts_with: string
    }

/** An event was recorded about an entity. The fact's id is the event's id. */
export interface EventRecorded {
  /** The externalId of the entity that the event is about. */
  readonly entity_external_id: string
  /** The name of the event. */
  readonly name: string
  /** The JSON object that the caller sent, or {} if the caller sent none. */
  readonly properties: Properties
  /** The time at which the service recorded the event: UTC, milliseconds. */
  readonly recorded_at: string
  /** The time of the event, as the caller sent it: UTC, milliseconds. If it is absent, the event happened at recordedAt. */
  readonly occurred_at?: string
}

export interface EventRecordedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EventRecorded'
  /** The stream of the fact. */
  readonly stream: string
  /** An event was recorded about an entity. The fact's id is the event's id. */
  readonly data: EventRecorded
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** An event was voided: it counts no more from here on. The event stays in the log. */
export interface EventVoided {
  /** The externalId of the entity that the event is about. */
  readonly external_id: string
  /** The id of the voided event. */
  readonly event_id: string
  /** The name of the event. */
  readonly name: string
  /** The time at which the service recorded the event: UTC, milliseconds. */
  readonly recorded_at: string
  /** The time of the event, as the caller sent it: UTC, milliseconds. If it is absent, the event happened at recordedAt. */
  readonly occurred_at?: string
  /** The reason, in the words of the caller. */
  readonly reason?: string
  /** The time at which the service voided the event: UTC, milliseconds. */
  readonly voided_at: string
}

export interface EventVoidedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'EventVoided'
  /** The stream of the fact. */
  readonly stream: string
  /** An event was voided: it counts no more from here on. The event stays in the log. */
  readonly data: EventVoided
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface Evidence {
  /** The id of the event. */
  readonly fact_id: string
  /** When the event happened. */
  readonly occurred_at: string
}

export interface Explanation {
  /** The key of the segment. */
  readonly segment: string
  /** The version of the segment. */
  readonly version: number
  /** Whether the entity is a member. */
  readonly member: boolean
  /** The entry of a current member. Null if the entity is not a member. */
  readonly since: string | null
  /** The first instant at which membership changes if no more facts are recorded. Null if it never changes. */
  readonly until: string | null
  /** All periods during which the entity was a member. */
  readonly periods: readonly {
    /** The entry. */
    readonly entered: MembershipChange
    /** The exit. Null while the entity is a member. */
    readonly left: MembershipChange | null
  }[]
  /** The rule, with the findings of each part. */
  readonly why: Why
}

export type Fact =
  | EntityCreatedFact
  | EntityPropertiesChangedFact
  | EventRecordedFact
  | EventVoidedFact
  | SegmentDefinedFact
  | SegmentRetiredFact
  | EntityAddedToSegmentFact
  | EntityRemovedFromSegmentFact
  | SegmentBuiltFact
  | EntityEnteredSegmentFact
  | EntityLeftSegmentFact
  | TimePassedFact
  | EntityErasedFact
  | EntityErasureRecordedFact
  | ErasedFactsRemovedFact
  | ErasurePlaceCheckedFact
  | ErasureConfirmedFact
  | ErasureSuppressionLiftedFact
  | WebhookDefinedFact
  | WebhookRemovedFact
  | WebhookPausedFact
  | WebhookResumedFact
  | WebhookReplayedFact
  | WebhookSecretRotatedFact
  | WebhookProgressRecordedFact

export interface FactsPage {
  /** The facts of the page, in the order of their positions. */
  readonly items: readonly Fact[]
  /** The `cursor` of the next page. Without more facts now, send it later, when there are more. */
  readonly next_cursor: string
  /** Whether the store had no facts after this page during the request. Also false if the store did not answer in time. */
  readonly at_head: boolean
}

/** A fault in a reply of the service. */
export interface Fault {
  /** The code of the fault, for programs. A code never changes. */
  readonly code: FaultCode
  /** The message for people, which says what to do. */
  readonly message: string
  /** Every rule that the request breaks. */
  readonly details: readonly Detail[]
  /** The id of the request, for the operator. */
  readonly request_id: string
}

/** The code of the fault, for programs. A code never changes. */
export type FaultCode =
  | 'malformed_json'
  | 'malformed_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'entity_not_found'
  | 'event_not_found'
  | 'segment_not_found'
  | 'erasure_not_found'
  | 'webhook_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'entity_exists'
  | 'too_many_segments'
  | 'too_many_webhooks'
  | 'webhooks_off'
  | 'kind_differs'
  | 'segment_in_use'
  | 'segment_by_rule'
  | 'not_ready'
  | 'not_possible'
  | 'entity_erased'
  | 'precondition_failed'
  | 'position_unknown'
  | 'body_too_large'
  | 'append_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'too_many_facts'
  | 'not_searchable'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'preview_under_way'
  | 'search_under_way'
  | 'headers_too_large'
  | 'internal_error'
  | 'store_unavailable'
  | 'read_model_behind'
  | 'building'
  | 'overloaded'
  | 'clock_untrusted'
  | 'shutting_down'
  | 'outcome_unknown'

export interface Health {
  /** The state of the process. */
  readonly health: 'live' | 'ready'
}

export interface HistoryEntry {
  /** The id of the fact that contains the change. */
  readonly fact_id: string
  /** When the change was recorded. */
  readonly changed_at: string
  /** The own time of the change. Equals `changed_at` if the caller sent no time. */
  readonly occurred_at: string
  /** The JSON value that was sent. */
  readonly set: Properties
  /** The names of the removed properties. */
  readonly unset: readonly string[]
  /** The id of the request that made the change. */
  readonly request_id: string
}

/** A strict comparison of a time with a boundary. */
export type InstantTest =
  | {
      /** The time is before this boundary. */
      readonly before: Boundary
    }
  | {
      /** The time is after this boundary. */
      readonly after: Boundary
    }

export type ItemResult =
  | {
      /** 201 means that the item created an entity, event or other resource. */
      readonly status: 200 | 201
      /** The data of the reply to the equivalent single request. */
      readonly data: Properties
      /** The position of the stored fact in the whole store. */
      readonly position: string
      /** Whether an earlier request with the same key had stored the fact. */
      readonly replayed: boolean
    }
  | {
      /** The status of the equivalent request. */
      readonly status: number
      /** A fault in a reply of the service. */
      readonly error: Fault
    }

export interface Key {
  /** The name of the key. */
  readonly name: string
  /** The permissions of the key. */
  readonly scopes: readonly ('read' | 'write' | 'segments' | 'track' | 'erase' | 'webhooks')[]
  /** The limits of the key. */
  readonly limits: {
    /** The maximum number of requests per second that each process accepts from this key. Null without a limit. */
    readonly requests_a_second: number | null
    /** The largest body, in bytes. */
    readonly body_bytes: number
    /** The largest body of a batch, in bytes. */
    readonly batch_bytes: number
    /** The maximum number of items in a batch. */
    readonly batch_items: number
  }
}

/** The newest event that passes `where` also passes `last`. */
export interface LastRule {
  /** The name of the events, or the beginning of the name. */
  readonly event: EventName
  /** Only events that pass these tests count. */
  readonly where?: Where
  /** Tests of the newest event that passes `where`. */
  readonly last: Where
}

export interface ListedEntity {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The properties, or the values at the pointers of `properties`, if that parameter was sent. */
  readonly properties: Properties
  /** The own time of the entity's creation. */
  readonly created_at: string
  /** The time at which the creation was recorded. */
  readonly recorded_at: string
  /** The latest own time among the entity's creation and its property changes. */
  readonly updated_at: string
  /** The own time of the latest event. Null without events. Present if `order` was sent. */
  readonly last_event_at?: string | null
}

export interface ListedEvent {
  /** The id of the event. */
  readonly id: string
  /** The name of the event. */
  readonly name: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** When the event was recorded. */
  readonly timestamp: string
  /** The own time of the event. Equals `timestamp` if the caller sent no time. */
  readonly occurred_at: string
  /** When the event was voided. Present only in voided events, which include=voided adds to the list. */
  readonly voided_at?: string
  /** Why it was voided. Present if the void has a reason. */
  readonly void_reason?: string
}

export interface Member {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The log time of the entry. */
  readonly since: string
  /** The values at the pointers of `properties`, if that parameter was sent. */
  readonly properties?: Properties
}

export interface MemberChange {
  /** The reason. It is stored in the fact. */
  readonly reason?: string
}

export interface MembersOfDay {
  /** The UTC day. */
  readonly day: string
  /** The number of members at the end of the day. For the day of the log time, the current number. */
  readonly members: number
}

export interface MembersPage {
  /** The items of the page. */
  readonly items: readonly Member[]
  /** The version of these members. */
  readonly version: number
  /** The number of members on all pages. */
  readonly members: number
  /** A digest that is equal for equal sets of members. It is the sum, modulo 2 to the 64th, of the first 8 bytes (big-endian) of the SHA-256 of each member's entity_id. */
  readonly digest: string
  /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
  readonly next_cursor: string | null
}

/** An entry into a segment, or an exit. */
export interface MembershipChange {
  /** UTC with milliseconds. */
  readonly at: string
  /** The cause of the change. */
  readonly cause: {
    /** The kind of cause. */
    readonly kind:
      | 'event'
      | 'properties'
      | 'created'
      | 'hand'
      | 'segment'
      | 'time'
      | 'voided'
      | 'definition'
    /** The id of the fact that caused the change. Absent if no fact caused it. */
    readonly fact_id?: string
  }
}

export interface NewBatch {
  /** The writes, in order. */
  readonly items: readonly BatchItem[]
}

/** A customer or user to create. */
export interface NewEntity {
  /** Your name for the customer or user. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly external_id: string
  /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Default: {}. */
  readonly properties?: Properties
  /** When the customer or user first existed. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. The year is at least 1900, and the time is at most 60 seconds after receipt. A second 60 is refused. Digits beyond milliseconds are cut off. */
  readonly occurred_at?: string
}

export interface NewErasure {
  /** The external_id of the entity to erase. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly external_id: string
  /** Whether reuse of the external_id is blocked until a request permits it. Default: true. If false, a queued write or an upsert can create the entity again. */
  readonly suppress?: boolean
  /** The services that follow the facts and must confirm the erasure. */
  readonly recipients?: readonly string[]
  /** Your reference for the request. Send no personal data: the service keeps this text for ever. */
  readonly reference?: string
}

/** An event to record. */
export interface NewEvent {
  /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly entity_external_id: string
  /** The name of the event. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly name: string
  /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Default: {}. */
  readonly properties?: Properties
  /** The time of the event. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. The year is at least 1900, and the time is at most 60 seconds after receipt. A second 60 is refused. Digits beyond milliseconds are cut off. */
  readonly occurred_at?: string
  /** Creates a missing entity first, without properties and with the time of the event. */
  readonly upsert?: boolean
}

export interface Operations {
  /** Create an entity. An existing entity is never changed. */
  readonly createEntity: {
    /** A customer or user to create. */
    readonly body: NewEntity
    readonly data: CreatedEntity
  }
  /** All entities in creation order, the entities with the latest events, or the entities that a parameter selects. */
  readonly listEntities: {
    readonly query: {
      /** Only the entity with this id. */
      readonly entity_id?: string
      /** Only entities whose `external_id` begins with this text, ordered by `external_id`. */
      readonly starts_with?: string
      /** Only entities that have the text `is` at this JSON pointer. SEARCH_PROPERTIES must contain the pointer. */
      readonly property?: string
      /** The exact text at `property`. */
      readonly is?: string
      /** `created` (the default) lists all entities in creation order. `last_event` lists, in one page, the entities with the latest events, the latest first. It uses the events' own times, and omits entities without events. */
      readonly order?: 'created' | 'last_event'
      /** Properties that are sent with each item. JSON pointers, separated by commas. A pointer cannot contain a comma. */
      readonly properties?: string
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly ListedEntity[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** Set and unset properties of an entity. Each sent value replaces the whole value of its property. */
  readonly updateEntity: {
    readonly body: EntityChange
    readonly data: ChangedEntity | CreatedEntity
  }
  /** The profile of an entity: now, at a past time, or as it was known at a past time. */
  readonly getProfile: {
    readonly query: {
      /** Uses only facts whose own time is this time or earlier. The own time is the time that the caller sent, or else the time of recording. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly known_at?: string
    }
    readonly data: Profile
  }
  /** Record an event about an entity. */
  readonly recordEvent: {
    /** An event to record. */
    readonly body: NewEvent
    readonly data: RecordedEvent
  }
  /** Write many items in one request. The batch is not atomic: check each result. */
  readonly writeBatch: {
    readonly body: NewBatch
    readonly data: {
      /** The results in the order of the items. Each result equals the reply to the equivalent single request. */
      readonly results: readonly ItemResult[]
      /** The numbers of items by outcome. */
      readonly counts: {
        /** The number of items that this batch stored. */
        readonly stored: number
        /** The number of items that an earlier request with the same idempotency key had stored. */
        readonly replayed: number
        /** The number of items that this batch did not store. */
        readonly refused: number
        /** The number of items that may be stored. Their status is 500 or 504. */
        readonly unknown: number
      }
    }
  }
  /** Define a segment: create it, or give it a new version if the definition differs. */
  readonly defineSegment: {
    readonly body: SegmentDefinition
    readonly data: Segment
  }
  /** Retire a segment. Its versions stay, and its key may be defined again. */
  readonly retireSegment: {
    readonly data: RetiredSegment
  }
  /** A segment: its newest version, and the version that is served. */
  readonly getSegment: {
    readonly data: Segment
  }
  /** Put an entity into a segment by hand. */
  readonly addToSegment: {
    readonly body: MemberChange
    readonly data: ChangedMember
  }
  /** Take an entity out of a segment by hand. */
  readonly removeFromSegment: {
    readonly query: {
      /** The reason. It is stored in the fact. */
      readonly reason?: string
    }
    readonly body: MemberChange
    readonly data: ChangedMember
  }
  /** Erase an entity. No request finds it any more, and the service then removes its facts from the store. */
  readonly eraseEntity: {
    readonly query: {
      /**
       * If true, nothing is erased, and the reply says what would be erased.
       * @default false
       */
      readonly dry_run?: boolean
    }
    readonly body: NewErasure
    readonly data: ErasureReceipt | ErasureDryRun
  }
  /** The receipts of all erasures, in the order of their requests. */
  readonly listErasures: {
    readonly query: {
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
      /** Only the receipt of the erasure that blocks reuse of this external_id. */
      readonly external_id?: string
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly ErasureReceipt[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** The current receipt of an erasure. */
  readonly getErasure: {
    /** The progress of an erasure. */
    readonly data: ErasureReceipt
  }
  /** Confirm that a recipient has processed the facts up to a position after the erasure. */
  readonly confirmErasure: {
    readonly body: ErasureConfirmation
    /** The progress of an erasure. */
    readonly data: ErasureReceipt
  }
  /** Permit reuse of the external_id of an erased entity. */
  readonly liftSuppression: {
    /** The progress of an erasure. */
    readonly data: ErasureReceipt
  }
  /** Define a webhook: create it, or give it a new version if the definition differs. */
  readonly defineWebhook: {
    readonly body: WebhookDefinition
    readonly data: DefinedWebhook
  }
  /** Remove a webhook. It sends nothing any more, and its key may be defined again. */
  readonly removeWebhook: {
    readonly data: RemovedWebhook
  }
  /** A webhook: its definition, and the progress of its delivery. */
  readonly getWebhook: {
    readonly data: Webhook
  }
  /** Pause a webhook. No replica sends anything for it after two seconds. */
  readonly pauseWebhook: {
    readonly data: Webhook
  }
  /** Resume a paused webhook, after the last delivered fact or from another point. */
  readonly resumeWebhook: {
    readonly body: WebhookResumption
    readonly data: Webhook
  }
  /** Move the delivery to an earlier or later point. A later point skips facts. A paused webhook stays paused. */
  readonly replayWebhook: {
    readonly body: WebhookReplay
    readonly data: Webhook
  }
  /** Send one message of the type `webhook.test`, and return the reply of the receiver. */
  readonly testWebhook: {
    readonly data: WebhookTest
  }
  /** Create a new secret. For 24 hours, messages are also signed with the former secret. */
  readonly rotateWebhookSecret: {
    readonly data: RotatedWebhook
  }
  /** All webhooks, ordered by key, with the progress of their delivery. */
  readonly listWebhooks: {
    readonly data: {
      /** All webhooks, by key. */
      readonly items: readonly Webhook[]
    }
  }
  /** The latest attempts of this process to deliver facts for a webhook, without bodies. */
  readonly listWebhookAttempts: {
    readonly data: {
      /** The latest 200 attempts of this process, newest first. */
      readonly items: readonly WebhookAttempt[]
    }
  }
  /** Whether the process is running. */
  readonly getHealthLive: {
    readonly data: Health
  }
  /** Whether the service can take requests: the store answers, and the clock is trusted. */
  readonly getHealthReady: {
    readonly data: Health
  }
  /** The name, the scopes and the limits of the key that sent the request. */
  readonly getKey: {
    readonly data: Key
  }
  /** The latest requests that this process refused with 4xx, without the sent values. */
  readonly getRefusals: {
    readonly query: {
      /** Lists refused reads, too. Without it, the list has refused writes alone. */
      readonly include?: 'reads'
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: Refusals
  }
  /** The state of this process: its store, its read model, and its unpublished changes. */
  readonly getStatus: {
    readonly data: ServiceStatus
  }
  /** The entities that have a value at a property of their profile or of their events. */
  readonly searchEntities: {
    readonly query: {
      /** Searches the events with exactly this name. If absent, searches profiles. */
      readonly event?: string
      /** A JSON pointer to the property, in the profile or in the event. */
      readonly property: string
      /** Searches voided events, too. A hit with a voided event has its voided_at. */
      readonly include?: 'voided'
      /** The exact text at `property`. Also finds a number, true or false with this JSON text. */
      readonly is: string
      /** Properties of the entity that are sent with each hit. JSON pointers, separated by commas. A pointer cannot contain a comma. */
      readonly properties?: string
    }
  }
  /** All names of events and properties, with counts and JSON types. */
  readonly getDictionary: {
    readonly data: Dictionary
  }
  /** The number of entities and events, in total and per day. */
  readonly getTotals: {
    readonly query: {
      /** The first day. Default: 30 days before the end. YYYY-MM-DD, or RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly since?: string
      /** Only days that begin before this time. Default: up to now. YYYY-MM-DD, or RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly until?: string
    }
    readonly data: Totals
  }
  /** The events of an entity, by own time or by time of recording. */
  readonly getTimeline: {
    readonly query: {
      /**
       * The time to which order, since and until refer: `occurred` is the own time, `recorded` the time of recording.
       * @default occurred
       */
      readonly by?: 'occurred' | 'recorded'
      /**
       * The order by the time that `by` selects. Events with equal times are in the order of recording.
       * @default desc
       */
      readonly order?: 'desc' | 'asc'
      /** Only events with exactly this name. */
      readonly name?: string
      /** Only events at this time or later. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly since?: string
      /** Only events before this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly until?: string
      /** Lists voided events, too. They have voided_at, and void_reason if a reason was sent. */
      readonly include?: 'voided'
      /** Uses only facts whose own time is this time or earlier. The own time is the time that the caller sent, or else the time of recording. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly known_at?: string
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly ListedEvent[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** Void an event. The event stays in the log, but no longer counts anywhere. */
  readonly voidEvent: {
    readonly query: {
      /** The reason. It is stored in the fact. */
      readonly reason?: string
    }
    readonly data: VoidedEvent
  }
  /** The creation of an entity and the changes of its properties, by time of recording or by own time. */
  readonly getHistory: {
    readonly query: {
      /**
       * The time to which order, since and until refer: `recorded` is the time of recording, `occurred` the own time.
       * @default recorded
       */
      readonly by?: 'recorded' | 'occurred'
      /**
       * The order by the time that `by` selects. Changes with equal times are in the order of recording.
       * @default desc
       */
      readonly order?: 'desc' | 'asc'
      /** Only changes at this time or later. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly since?: string
      /** Only changes before this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly until?: string
      /** Uses only facts whose own time is this time or earlier. The own time is the time that the caller sent, or else the time of recording. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly known_at?: string
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly HistoryEntry[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** All facts in order, as a page or as a stream that continues. */
  readonly readFacts: {
    readonly query: {
      /** Continues after this cursor: the `next_cursor` of a page, or the `id` of a frame. The store must still have the fact at the cursor. */
      readonly cursor?: string
      /** The point after which reading begins: `start` (the default), `now`, or a position. The service does not check that a fact has this position. Cannot be combined with `cursor`. */
      readonly after?: string
      /** Only facts of these types, separated by commas: EntityCreated, EntityPropertiesChanged, EventRecorded, EventVoided, SegmentDefined, SegmentRetired, EntityAddedToSegment, EntityRemovedFromSegment, SegmentBuilt, EntityEnteredSegment, EntityLeftSegment, TimePassed, EntityErased, EntityErasureRecorded, ErasedFactsRemoved, ErasurePlaceChecked, ErasureConfirmed, ErasureSuppressionLifted, WebhookDefined, WebhookRemoved, WebhookPaused, WebhookResumed, WebhookReplayed, WebhookSecretRotated, WebhookProgressRecorded. */
      readonly types?: string
      /** Only facts of the entity with this external_id. */
      readonly entity?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: FactsPage
  }
  /** All segments, ordered by key. */
  readonly listSegments: {
    readonly query: {
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly Segment[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** All versions of a segment, newest first, even if the segment is retired. */
  readonly listSegmentVersions: {
    readonly query: {
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly SegmentVersion[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** The members of a segment, in the order of the creation of the entities. */
  readonly listMembers: {
    readonly query: {
      /** Properties that are sent with each item. JSON pointers, separated by commas. A pointer cannot contain a comma. */
      readonly properties?: string
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: MembersPage
  }
  /** The entities that entered and left a segment, newest first, and why. */
  readonly listMemberChanges: {
    readonly query: {
      /** Only changes at this time or later. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly since?: string
      /** Only changes before this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly until?: string
      /** The `next_cursor` of the previous page. All other parameters must be the same as for that page. */
      readonly cursor?: string
      /**
       * The maximum number of items on a page. A page can have fewer items even if more items follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly RecordedChange[]
      /** The `cursor` of the next page. Send it with otherwise the same parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** The number of members of a segment at the end of each day, and now. */
  readonly getSegmentCurve: {
    readonly query: {
      /** The first day. Default: 90 days before the end. YYYY-MM-DD, or RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly since?: string
      /** Only days that begin before this time. Default: up to now. YYYY-MM-DD, or RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly until?: string
    }
    readonly data: {
      /** The days, oldest first. */
      readonly items: readonly MembersOfDay[]
    }
  }
  /** The segments of an entity: now, at a past time, or as they were known at a past time. */
  readonly getEntitySegments: {
    readonly query: {
      /** Uses only facts whose own time is this time or earlier. The own time is the time that the caller sent, or else the time of recording. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly known_at?: string
    }
    readonly data: EntitySegments
  }
  /** Whether an entity is a member of a segment, since when and until when, and why. */
  readonly explainSegment: {
    readonly query: {
      /** Uses only facts whose own time is this time or earlier. The own time is the time that the caller sent, or else the time of recording. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset. Write "+" as "%2B" in a URL. */
      readonly known_at?: string
    }
    readonly data: Explanation
  }
  /** Try a rule on some entities. Nothing is stored. */
  readonly evaluateRule: {
    readonly body: Evaluation
    readonly data: {
      /** The results, in the order of the ids. */
      readonly items: readonly EvaluatedEntity[]
    }
  }
  /** The number of entities that a rule matches, a sample of them, and the entities that would enter and leave a segment. Nothing is stored. */
  readonly previewRule: {
    readonly body: PreviewRequest
  }
  /** Whether the service answers reads: the read model is built. */
  readonly getHealthReadyReads: {
    readonly data: Health
  }
}

export interface PreviewChange {
  /** The number of entities. */
  readonly count: number
  /** A random sample of external_ids, in creation order. The same members always give the same sample. */
  readonly sample: readonly string[]
}

export interface PreviewEstimate {
  /** The position at which the result is exact. */
  readonly position: string
  /** UTC with milliseconds. */
  readonly log_time: string
  /** The number of all entities. */
  readonly entities: number
  /** The number of entities in the random sample. */
  readonly looked_at: number
  /** The estimated number of entities that the rule matches. */
  readonly members: number
  /** The lower bound of the 95 % confidence interval. */
  readonly low: number
  /** The upper bound of the 95 % confidence interval. */
  readonly high: number
}

export interface PreviewProgress {
  /** The number of all entities. */
  readonly entities: number
  /** The number of evaluated entities. */
  readonly done: number
  /** The number of evaluated entities that the rule matches. */
  readonly members: number
}

export interface PreviewRanking {
  /** The condition of the rule by which the members are ranked. */
  readonly by: CountRule
  /** The members, the highest first. */
  readonly items: readonly RankedMember[]
}

export interface PreviewRequest {
  /** The condition that an entity must meet. */
  readonly rule: Rule
  /** The segment whose members are compared with the entities that the rule matches. */
  readonly against?: string
  /** The maximum number of external_ids in each sample. Default: 10. */
  readonly sample?: number
  /** A JSON pointer to a number in the properties of an event. Members are ranked by the sum of this number instead of by their number of events. */
  readonly sum?: string
}

export interface PreviewResult {
  /** The position at which the result is exact. */
  readonly position: string
  /** UTC with milliseconds. */
  readonly log_time: string
  /** The exact number of members. */
  readonly members: number
  /** A digest that is equal for equal sets of members. It is the sum, modulo 2 to the 64th, of the first 8 bytes (big-endian) of the SHA-256 of each member's entity_id. */
  readonly digest: string
  /** A random sample of external_ids, in creation order. The same members always give the same sample. */
  readonly sample: readonly string[]
  /** Entities that would enter the compared segment. */
  readonly entering: PreviewChange
  /** Entities that would leave the compared segment. */
  readonly leaving: PreviewChange
  /** Up to 20 members, ranked by the first condition of the rule that counts events. The members with the highest sums are first, or without a requested sum those with the most events. Null if the rule counts no events outside `not`. */
  readonly top: PreviewRanking | null
  /** The names of all recorded events. If there are more than 50, the first 50 that were found. */
  readonly event_names: readonly string[]
  /** The event names in the rule that no recorded event has. */
  readonly unseen_events: readonly string[]
}

export interface Profile {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** The own time of the entity's creation. It can be later than as_of, if the entity has an earlier change or event. */
  readonly created_at: string
  /** The time at which the creation was recorded. */
  readonly recorded_at: string
  /** The latest own time among the entity's creation and its property changes. */
  readonly updated_at: string
  /** The number of the entity's events. */
  readonly event_count: number
  /** The own time of the entity's latest event. Null without events. */
  readonly last_event_at: string | null
  /** The segments of which the entity is a member, and since when. */
  readonly segments: readonly {
    /** The key of the segment. */
    readonly key: string
    /** UTC with milliseconds. */
    readonly since: string
  }[]
  /** The keys of segments that this process does not serve yet. Membership in these segments is unknown until they are built. Absent if there are none. */
  readonly segments_building?: readonly string[]
  /** The sent time, or null if it was not sent. Absent if neither as_of nor known_at was sent. */
  readonly as_of?: string | null
  /** The sent time, or null if it was not sent. Absent if neither as_of nor known_at was sent. */
  readonly known_at?: string | null
}

/** A condition on a property of the entity. */
export interface PropertyRule {
  /** A JSON pointer, such as /plan or /address/city. */
  readonly property: string
  /** The test of the value. */
  readonly is: ValueTest | InstantTest
  /** The duration for which the test must have held without a break. Only allowed with a test of a value. */
  readonly for?: string
}

export interface RankedMember {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The number of events that match the condition. The required number of events is ignored. */
  readonly count: number
  /** The sum of the requested number, as a double. Null if none was requested. */
  readonly sum: number | null
}

export interface RecordedChange {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The log time of the change. */
  readonly at: string
  /** Whether the entity entered or left. */
  readonly change: 'enter' | 'leave'
  /** The cause of the change. */
  readonly cause: {
    /** The kind of cause. */
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time' | 'voided'
    /** The id of the fact that caused the change. Absent if the passing of time caused it. */
    readonly fact_id?: string
  }
}

export interface RecordedEvent {
  /** The id of the event, which is also the id of its fact. */
  readonly id: string
  /** The external_id of the entity. */
  readonly entity_external_id: string
  /** What happened. */
  readonly name: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** When the event was recorded, in UTC with milliseconds. */
  readonly timestamp: string
  /** The time of the event, in UTC with milliseconds. Present if it was sent. */
  readonly occurred_at?: string
}

export interface Refusal {
  /** The id of the refusal. */
  readonly id: string
  /** UTC with milliseconds. */
  readonly at: string
  /** The id of the request. */
  readonly request_id: string
  /** The name of the key of the request. */
  readonly key: string
  /** Whether the request reads or writes. A preview reads. */
  readonly kind: 'read' | 'write'
  /** The method of the request. */
  readonly method: string
  /** The pattern of the path. */
  readonly route: string
  /** The status of the reply. */
  readonly status: number
  /** The code of the fault. */
  readonly code: string
  /** The message of the code, for people. */
  readonly message: string
  /** The rules that the request broke. */
  readonly details: readonly {
    /** The path in the reply, with "…" for names that could identify a customer. */
    readonly path: string
    /** The code of the broken rule. */
    readonly code: string
  }[]
}

export interface Refusals {
  /** The items of the page. */
  readonly items: readonly Refusal[]
  /** The `cursor` of the next page. Without more refusals now, send it later, when there are more. */
  readonly next_cursor: string
  /** Whether refusals between `cursor` and the first item may be missing. This happens when another process replies, or when the list has dropped them. */
  readonly reset: boolean
  /** The number of requests without a valid key since the process started. These requests are not listed. */
  readonly unauthenticated: number
}

export interface RemovedWebhook {
  /** The key of the webhook. */
  readonly key: string
  /** The version that the webhook had. */
  readonly version: number
  /** UTC with milliseconds. */
  readonly removed_at: string
}

export interface RetiredSegment {
  /** The key of the segment. */
  readonly key: string
  /** The version of the segment. */
  readonly version: number
  /** UTC with milliseconds. */
  readonly retired_at: string
}

export interface RotatedWebhook {
  /** The key of the webhook. */
  readonly key: string
  /** Each change makes a new version: 1, 2, 3, … */
  readonly version: number
  /** The name of the webhook, for people. */
  readonly title: string | null
  /** The scheme, host and port of the URL. */
  readonly origin: string
  /** The types of facts that are sent. Null means all types that can be sent. */
  readonly types: readonly string[] | null
  /** The names of the events that are sent. Null means that every fact is sent. */
  readonly events: readonly string[] | null
  /** The segments whose facts are sent. Null means that every fact is sent. */
  readonly segments: readonly string[] | null
  /** The entity whose facts are sent. Null means that every fact is sent. */
  readonly entity_id: string | null
  /** Whether each message contains the profile of the entity. */
  readonly profile: boolean
  /** The state of the webhook. failing: the receiver did not accept the last attempt to deliver a fact. */
  readonly state: 'active' | 'paused' | 'failing'
  /** The pause. Null while the webhook is not paused. */
  readonly paused: {
    /** The origin of the pause. */
    readonly by: 'request' | 'receiver' | 'service'
    /** requested: a request paused the webhook. gone: the receiver replied with 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the webhook's position. */
    readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The failure of the receiver. Null while the receiver does not fail. */
  readonly failing: {
    /** UTC with milliseconds. */
    readonly since: string
    /** The status of the reply. Null without a reply. */
    readonly status: number | null
    /** The error of the last attempt. */
    readonly error: string
  } | null
  /** The progress of delivery. The sending process reports the current progress, and other replicas are up to 60 seconds late. */
  readonly delivered_to: {
    /** The position up to which all facts are delivered. */
    readonly position: string
    /** The cursor of the fact at this position. */
    readonly cursor: string
  }
  /** The lag. Null when the read model does not answer. */
  readonly behind: {
    /** The number of facts that are not delivered yet. */
    readonly facts: number
    /** Whether there may be more undelivered facts, because only the next 10,000 facts of the log are read. */
    readonly more: boolean
    /** The age of the oldest of these facts. */
    readonly seconds: number
  } | null
  /** The last delivery. Null before the first delivery. */
  readonly last_delivery: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The status of the reply. */
    readonly status: number
  } | null
  /** UTC with milliseconds. */
  readonly defined_at: string
  /** The secret that signs messages, in the format of Standard Webhooks. It is shown only once: store it at the receiver. */
  readonly secret: string
  /** The time until which messages are also signed with the former secret. */
  readonly former_secret_until: string
}

/** The condition that an entity must meet. A rule has at most 64 rule objects in 8 levels. The names of its members determine the kind of a rule object: there is no discriminator. */
export type Rule =
  | {
      /** All of these rules hold. */
      readonly all: readonly Rule[]
    }
  | {
      /** At least one of these rules holds. */
      readonly any: readonly Rule[]
    }
  | {
      /** This rule does not hold. */
      readonly not: Rule
    }
  | PropertyRule
  | CountRule
  | LastRule
  | {
      /** Holds for every entity. */
      readonly everyone: true
    }
  | {
      /** The key of a segment. The rule holds for members of this segment. */
      readonly segment: string
    }
  | {
      /** A test of the time when the entity was created. */
      readonly created: InstantTest
    }
  | BucketRule

/** A null, a boolean, a number or a text. */
export type Scalar = null | boolean | number | string

export interface SearchHit {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The properties of the entity, or the values at the pointers of `properties`, if that parameter was sent. */
  readonly properties: Properties
  /** The own time of the entity's creation. */
  readonly created_at: string
  /** The time at which the creation was recorded. */
  readonly recorded_at: string
  /** UTC with milliseconds. */
  readonly updated_at: string
  /** The newest event that matches, in a search of events. A voided event only if no other one matches. */
  readonly event?: {
    /** The id of the event. */
    readonly id: string
    /** The time of the event. */
    readonly occurred_at: string
    /** When it was voided. Present for voided events, which include=voided searches. */
    readonly voided_at?: string
  }
}

export interface SearchHits {
  /** More hits, the newest entity first. */
  readonly items: readonly SearchHit[]
}

export interface SearchProgress {
  /** The number of all entities. */
  readonly entities: number
  /** The number of entities that were searched. 0 if only the index was read. */
  readonly looked_at: number
  /** The number of hits so far. */
  readonly hits: number
}

export interface SearchResult {
  /** The number of all entities. */
  readonly entities: number
  /** The number of entities that were searched. 0 if only the index was read. */
  readonly looked_at: number
  /** The number of hits so far. */
  readonly hits: number
  /** Whether an index of SEARCH_PROPERTIES found the hits with this text. */
  readonly indexed: boolean
  /** Whether all entities were searched. False if the search ended at a limit of time, entities, hits or bytes: more entities may match. */
  readonly complete: boolean
}

export interface Segment {
  /** The key of the segment. */
  readonly key: string
  /** Each change makes a new version: 1, 2, 3, … */
  readonly version: number
  /** The name of the segment, for people. */
  readonly title: string
  /** rule: the rule decides who is a member. hand: members are added and removed by hand. */
  readonly kind: 'rule' | 'hand'
  /** The rule. Null for a segment of the kind hand. */
  readonly rule: Rule | null
  /** building: the first version or a newer version is being built. diverged: the recorded changes differ from the changes that follow from the facts. */
  readonly status: 'building' | 'live' | 'diverged'
  /** The version whose members are served. Null if no version is served yet. */
  readonly serving_version: number | null
  /** The progress of the build, from 0 to 1. Null if no version is being built. */
  readonly progress: number | null
  /** The number of members. Null if no version is served yet. */
  readonly members: number | null
  /** The digest of the members, equal for equal sets of members. Null if no version is served yet. */
  readonly digest: string | null
  /** UTC with milliseconds. */
  readonly defined_at: string
}

/** A version of a segment was evaluated for all entities, and is served from here on. A reader fetches the list of members again, and then applies the following changes. */
export interface SegmentBuilt {
  /** The key of the segment. */
  readonly segment: string
  /** The version that is served from here on. */
  readonly version: number
  /** The versions of all segments that the rule depends on, by their keys. */
  readonly resolved: {
    readonly [key: string]: number
  }
  /** The id of the last fact that was evaluated. */
  readonly through: string
  /** The number of members at that fact. */
  readonly members: number
  /** The sum, modulo 2 to the 64th, of the first 8 bytes, big-endian, of the SHA-256 of the entity_id of each member. */
  readonly digest: string
  /** The highest instant of all facts up to that fact: UTC, milliseconds. */
  readonly built_at: string
}

export interface SegmentBuiltFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'SegmentBuilt'
  /** The stream of the fact. */
  readonly stream: string
  /** A version of a segment was evaluated for all entities, and is served from here on. A reader fetches the list of members again, and then applies the following changes. */
  readonly data: SegmentBuilt
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** A segment was defined, or its definition was replaced by another version. */
export interface SegmentDefined {
  /** The key of the segment. */
  readonly segment: string
  /** The version of the key: 1, 2, 3, …, also after a retirement. */
  readonly version: number
  /** The title of the segment, for people. */
  readonly title: string
  /** rule: the rule decides on members. hand: facts add and remove members. */
  readonly kind: 'rule' | 'hand'
  /** The condition that an entity must meet. A rule has at most 64 rule objects in 8 levels. The names of its members determine the kind of a rule object: there is no discriminator. */
  readonly rule?: Rule
  /** The version of the meaning of rules. A reader that evaluates rules must stop at an unknown version. */
  readonly evaluator: number
  /** The time of the definition: UTC, milliseconds. */
  readonly defined_at: string
}

export interface SegmentDefinedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'SegmentDefined'
  /** The stream of the fact. */
  readonly stream: string
  /** A segment was defined, or its definition was replaced by another version. */
  readonly data: SegmentDefined
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface SegmentDefinition {
  /** The name of the segment, for people. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly title: string
  /** rule: the rule decides who is a member. hand: members are added and removed by hand. */
  readonly kind: 'rule' | 'hand'
  /** The rule. It is required for the kind rule, and not allowed for the kind hand. */
  readonly rule?: Rule
}

/** A segment was retired, and has no members from here on. Its key may be defined again. */
export interface SegmentRetired {
  /** The key of the segment. */
  readonly segment: string
  /** The last version of the segment. */
  readonly version: number
  /** The time of the retirement: UTC, milliseconds. */
  readonly retired_at: string
}

export interface SegmentRetiredFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'SegmentRetired'
  /** The stream of the fact. */
  readonly stream: string
  /** A segment was retired, and has no members from here on. Its key may be defined again. */
  readonly data: SegmentRetired
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface SegmentVersion {
  /** The key of the segment. */
  readonly key: string
  /** Each change makes a new version: 1, 2, 3, … */
  readonly version: number
  /** The name of the segment, for people. */
  readonly title: string
  /** rule: the rule decides who is a member. hand: members are added and removed by hand. */
  readonly kind: 'rule' | 'hand'
  /** The rule. Null for a segment of the kind hand. */
  readonly rule: Rule | null
  /** UTC with milliseconds. */
  readonly defined_at: string
  /** When the segment was retired at this version. Null if it was not retired. */
  readonly retired_at: string | null
}

export interface ServiceStatus {
  /** The version of the service. */
  readonly version: string
  /** The kind of store. */
  readonly store_kind: string
  /** `ready` if the store accepts writes, and otherwise the reason why it does not. */
  readonly store: 'ready' | 'store_unavailable' | 'clock_untrusted' | 'shutting_down'
  /** The state of the read model. `stalled`: it cannot apply the next fact. `off`: READ_MODEL=off. */
  readonly reads: 'ready' | 'building' | 'stalled' | 'off'
  /** The position of the last fact that is known to be stored. Null without a read model. */
  readonly head: string | null
  /** The position of the last fact that reads include. */
  readonly position: string | null
  /** The distance from `position` to `head`, in facts, or on EventStoreDB in bytes. */
  readonly lag_positions: number | null
  /** The highest instant in the fact log up to `position`. */
  readonly log_time: string | null
  /** The state of segments. Null without a read model. */
  readonly segments: {
    /** The number of membership changes that this process has derived but that are not in the fact log yet. */
    readonly unpublished: number
    /** When the oldest of these changes was derived. Null if there are none. */
    readonly unpublished_since: string | null
    /** The number of segments with the status diverged. */
    readonly diverged: number
  } | null
}

/** Time passed: the time of this fact is later than the instants of all earlier facts. */
export interface TimePassed {
  /** The time: UTC, milliseconds. */
  readonly now: string
}

export interface TimePassedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'TimePassed'
  /** The stream of the fact. */
  readonly stream: string
  /** Time passed: the time of this fact is later than the instants of all earlier facts. */
  readonly data: TimePassed
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface Totals {
  /** The number of entities that exist now. */
  readonly people: number
  /** The number of events of these entities. */
  readonly events: number
  /** The days, oldest first. */
  readonly days: readonly TotalsDay[]
}

export interface TotalsDay {
  /** The UTC day. */
  readonly day: string
  /** The number of entities that were created. */
  readonly new_people: number
  /** The number of events by name. An event counts on the day of its own time. Contains the 20 most frequent names of all returned days. A name without events on this day is absent. */
  readonly events: {
    readonly [key: string]: number
  }
  /** The number of events with other names. */
  readonly others: number
}

/** A test of a value. All members must pass. A missing value fails every test except `exists: false`, and a `not` whose nested test fails. */
export interface ValueTest {
  /** The value equals this value. */
  readonly eq?: Scalar
  /** The value equals one of these values. */
  readonly in?: readonly Scalar[]
  /** The value is above this number. */
  readonly gt?: number
  /** The value is this number or higher. */
  readonly gte?: number
  /** The value is below this number. */
  readonly lt?: number
  /** The value is this number or lower. */
  readonly lte?: number
  /** The value is a text that begins with this text. */
  readonly starts_with?: string
  /** The value is a text that contains this text. */
  readonly contains?: string
  /** The value is a list that contains this item. */
  readonly includes?: Scalar
  /** true: the property has a value. false: the property has no value. */
  readonly exists?: boolean
  /** Passes if and only if the nested test as a whole fails. */
  readonly not?: ValueTest
}

export interface VoidedEvent {
  /** The event's id. */
  readonly id: string
  /** When the first request voided the event. */
  readonly voided_at: string
  /** The reason of the first request. Present if that request had one. */
  readonly reason?: string
}

export interface Webhook {
  /** The key of the webhook. */
  readonly key: string
  /** Each change makes a new version: 1, 2, 3, … */
  readonly version: number
  /** The name of the webhook, for people. */
  readonly title: string | null
  /** The scheme, host and port of the URL. */
  readonly origin: string
  /** The types of facts that are sent. Null means all types that can be sent. */
  readonly types: readonly string[] | null
  /** The names of the events that are sent. Null means that every fact is sent. */
  readonly events: readonly string[] | null
  /** The segments whose facts are sent. Null means that every fact is sent. */
  readonly segments: readonly string[] | null
  /** The entity whose facts are sent. Null means that every fact is sent. */
  readonly entity_id: string | null
  /** Whether each message contains the profile of the entity. */
  readonly profile: boolean
  /** The state of the webhook. failing: the receiver did not accept the last attempt to deliver a fact. */
  readonly state: 'active' | 'paused' | 'failing'
  /** The pause. Null while the webhook is not paused. */
  readonly paused: {
    /** The origin of the pause. */
    readonly by: 'request' | 'receiver' | 'service'
    /** requested: a request paused the webhook. gone: the receiver replied with 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the webhook's position. */
    readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The failure of the receiver. Null while the receiver does not fail. */
  readonly failing: {
    /** UTC with milliseconds. */
    readonly since: string
    /** The status of the reply. Null without a reply. */
    readonly status: number | null
    /** The error of the last attempt. */
    readonly error: string
  } | null
  /** The progress of delivery. The sending process reports the current progress, and other replicas are up to 60 seconds late. */
  readonly delivered_to: {
    /** The position up to which all facts are delivered. */
    readonly position: string
    /** The cursor of the fact at this position. */
    readonly cursor: string
  }
  /** The lag. Null when the read model does not answer. */
  readonly behind: {
    /** The number of facts that are not delivered yet. */
    readonly facts: number
    /** Whether there may be more undelivered facts, because only the next 10,000 facts of the log are read. */
    readonly more: boolean
    /** The age of the oldest of these facts. */
    readonly seconds: number
  } | null
  /** The last delivery. Null before the first delivery. */
  readonly last_delivery: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The status of the reply. */
    readonly status: number
  } | null
  /** UTC with milliseconds. */
  readonly defined_at: string
}

export interface WebhookAttempt {
  /** The id of the fact. */
  readonly fact_id: string
  /** UTC with milliseconds. */
  readonly at: string
  /** The status of the reply. Null without a reply. */
  readonly status: number | null
  /** The error. Null if the receiver replied. */
  readonly error: string | null
  /** The time until the reply, in milliseconds. */
  readonly duration_ms: number
}

/** A webhook was defined, or its definition was replaced by another version. */
export interface WebhookDefined {
  /** The key of the webhook. */
  readonly webhook: string
  /** The version of the definition: 1, 2, 3, … for each key. */
  readonly version: number
  /** The name of the webhook, for people. */
  readonly title?: string
  /** The scheme, host and port of its URL. */
  readonly origin: string
  /** The URL, encrypted under the master key of the webhooks. */
  readonly url: string
  /** The types of facts to deliver. Absent: all that can be delivered. */
  readonly types?: readonly (
    | 'EntityCreated'
    | 'EntityPropertiesChanged'
    | 'EventRecorded'
    | 'EventVoided'
    | 'EntityAddedToSegment'
    | 'EntityRemovedFromSegment'
    | 'EntityEnteredSegment'
    | 'EntityLeftSegment'
    | 'SegmentDefined'
    | 'SegmentBuilt'
    | 'SegmentRetired'
    | 'EntityErased'
  )[]
  /** The names of the events to deliver. Absent: all facts. */
  readonly events?: readonly string[]
  /** The segments whose facts to deliver. Absent: all facts. */
  readonly segments?: readonly string[]
  /** The entity whose facts to deliver. Absent: all facts. */
  readonly entity_id?: string
  /** True if the profile of the entity is sent too. */
  readonly profile: boolean
  /** The version of the secret that signs. */
  readonly secret_version: number
  /** The fingerprint of the master key from which the secret is derived. */
  readonly master: string
  /** The position at which delivery begins. */
  readonly from?: {
    /** A position. Delivery begins after it; 0 is before all facts. */
    readonly position: string
    /** The id of the fact at this position, or the first characters of that id. Empty when the service does not check that this fact is there. */
    readonly fact: string
  }
  /** The time at which the version was defined: UTC, milliseconds. */
  readonly defined_at: string
}

export interface WebhookDefinedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookDefined'
  /** The stream of the fact. */
  readonly stream: string
  /** A webhook was defined, or its definition was replaced by another version. */
  readonly data: WebhookDefined
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface WebhookDefinition {
  /** The address of the receiver: https, without user name and password. It is stored encrypted, and replies contain only its origin. */
  readonly url: string
  /** The name of the webhook, for people. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly title?: string
  /** Only facts of these types. An erasure is always sent. */
  readonly types?: readonly (
    | 'EntityCreated'
    | 'EntityPropertiesChanged'
    | 'EventRecorded'
    | 'EventVoided'
    | 'EntityAddedToSegment'
    | 'EntityRemovedFromSegment'
    | 'EntityEnteredSegment'
    | 'EntityLeftSegment'
    | 'SegmentDefined'
    | 'SegmentBuilt'
    | 'SegmentRetired'
    | 'EntityErased'
  )[]
  /** Only events with one of these names. Cannot be combined with `segments`. */
  readonly events?: readonly string[]
  /** Only facts that name one of these segments, of any version. */
  readonly segments?: readonly string[]
  /** Only facts of the entity with this external_id. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly entity?: string
  /** Whether each message contains the profile of the entity. Default: false. */
  readonly profile?: boolean
  /** The point at which delivery begins: `start`, `now`, or a cursor of the feed. The store must still have the fact at the cursor. */
  readonly from?: string
}

/** A webhook delivers nothing until it is resumed. */
export interface WebhookPaused {
  /** The key of the webhook. */
  readonly webhook: string
  /** The origin of the pause: a request, the receiver, or the service. */
  readonly by: 'request' | 'receiver' | 'service'
  /** requested: a request said so. gone: the receiver replied with status 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the place of the webhook. */
  readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
  /** The time at which the service recorded the fact: UTC, milliseconds. */
  readonly at: string
}

export interface WebhookPausedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookPaused'
  /** The stream of the fact. */
  readonly stream: string
  /** A webhook delivers nothing until it is resumed. */
  readonly data: WebhookPaused
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** The sending process recorded the progress of each webhook. A later fact of this type replaces all earlier ones. */
export interface WebhookProgressRecorded {
  /** A random id of the process. */
  readonly sender: string
  /** released: the process sends no more, and another process may send at once. */
  readonly state: 'sending' | 'released'
  /** The progress of each webhook. */
  readonly webhooks: readonly {
    /** The key of the webhook. */
    readonly webhook: string
    /** The id of the fact that set the position at which the delivery began. */
    readonly start: string
    /** A position. Delivery begins after it; 0 is before all facts. */
    readonly position: string
    /** The id of the fact at this position, or the first characters of that id. Empty when the service does not check that this fact is there. */
    readonly fact: string
    /** The failure of the receiver. Absent while it does not fail. */
    readonly failing?: {
      /** The time of the first failure: UTC, milliseconds. */
      readonly since: string
      /** The status of the last reply. */
      readonly status?: number
      /** The error of the last attempt. */
      readonly error: string
    }
    /** The last delivery. Absent before the first. */
    readonly delivered?: {
      /** The time at which the service recorded the fact: UTC, milliseconds. */
      readonly at: string
      /** The status of the reply. */
      readonly status: number
    }
  }[]
  /** The time at which the service recorded the fact: UTC, milliseconds. */
  readonly at: string
}

export interface WebhookProgressRecordedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookProgressRecorded'
  /** The stream of the fact. */
  readonly stream: string
  /** The sending process recorded the progress of each webhook. A later fact of this type replaces all earlier ones. */
  readonly data: WebhookProgressRecorded
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** A webhook is no more. Its key may be defined again. */
export interface WebhookRemoved {
  /** The key of the webhook. */
  readonly webhook: string
  /** The version that it had. */
  readonly version: number
  /** The time at which the service recorded the fact: UTC, milliseconds. */
  readonly at: string
}

export interface WebhookRemovedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookRemoved'
  /** The stream of the fact. */
  readonly stream: string
  /** A webhook is no more. Its key may be defined again. */
  readonly data: WebhookRemoved
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface WebhookReplay {
  /** The point at which delivery begins: `start`, `now`, or a cursor of the feed. The store must still have the fact at the cursor. */
  readonly from: string
}

/** A webhook delivers from another place, earlier or later. */
export interface WebhookReplayed {
  /** The key of the webhook. */
  readonly webhook: string
  /** The position at which delivery begins. */
  readonly from: {
    /** A position. Delivery begins after it; 0 is before all facts. */
    readonly position: string
    /** The id of the fact at this position, or the first characters of that id. Empty when the service does not check that this fact is there. */
    readonly fact: string
  }
  /** The time at which the service recorded the fact: UTC, milliseconds. */
  readonly at: string
}

export interface WebhookReplayedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookReplayed'
  /** The stream of the fact. */
  readonly stream: string
  /** A webhook delivers from another place, earlier or later. */
  readonly data: WebhookReplayed
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

/** A paused webhook delivers again. */
export interface WebhookResumed {
  /** The key of the webhook. */
  readonly webhook: string
  /** The time at which the service recorded the fact: UTC, milliseconds. */
  readonly at: string
}

export interface WebhookResumedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookResumed'
  /** The stream of the fact. */
  readonly stream: string
  /** A paused webhook delivers again. */
  readonly data: WebhookResumed
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface WebhookResumption {
  /** The point at which delivery begins: `start`, `now`, or a cursor of the feed. The store must still have the fact at the cursor. */
  readonly from?: string
}

/** A webhook has a new secret. The former secret signs too, for 24 hours. */
export interface WebhookSecretRotated {
  /** The key of the webhook. */
  readonly webhook: string
  /** The version of the new secret. */
  readonly secret_version: number
  /** The time at which the service recorded the fact: UTC, milliseconds. */
  readonly at: string
}

export interface WebhookSecretRotatedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact. The fact of an event has the event's id, and the fact of a creation has the `entity_id`. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookSecretRotated'
  /** The stream of the fact. */
  readonly stream: string
  /** A webhook has a new secret. The former secret signs too, for 24 hours. */
  readonly data: WebhookSecretRotated
  /** The id of the request that caused the fact. */
  readonly request_id: string
}

export interface WebhookTest {
  /** The id of the message. */
  readonly id: string
  /** The status of the reply. Null without a reply. */
  readonly status: number | null
  /** The error. Null if the receiver replied. */
  readonly error: string | null
  /** The time until the reply, in milliseconds. */
  readonly duration_ms: number
}

/** Tests of the properties of an event, by JSON pointer. All tests must pass. */
export interface Where {
  readonly [key: string]: ValueTest
}

/** The explanation of a rule, part by part: whether the part holds, until when, and the events that are evidence of it. The names of its members determine the kind of a part: there is no discriminator. */
export type Why =
  | {
      /** All of these rules hold. */
      readonly all: readonly Why[]
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | {
      /** At least one of these rules holds. */
      readonly any: readonly Why[]
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | {
      /** This rule does not hold. */
      readonly not: Why
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | WhyProperty
  | WhyCount
  | WhyLast
  | {
      /** Holds for every entity. */
      readonly everyone: true
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | {
      /** The key of a segment. The rule holds for members of this segment. */
      readonly segment: string
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | {
      /** A test of the time when the entity was created. */
      readonly created: InstantTest
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | {
      /** A share of all entities. For one salt and share, the selected entities never change. */
      readonly bucket: {
        /** A text that selects the entities of the share. Another salt selects other entities. */
        readonly salt?: string
        /** The share in percent, 0 to 100. */
        readonly below: number
      }
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }
  | {
      /** Members are added and removed by hand. */
      readonly by_hand: true
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
      readonly until: string | null
    }

export interface WhyCount {
  /** The name of the events, or the beginning of the name. */
  readonly event: EventName
  /** Only events that pass these tests count. */
  readonly where?: Where
  /** A window that ends now. Cannot be combined with after and before. */
  readonly within?: string
  /** Only events at or after this instant count. */
  readonly after?: string
  /** RFC 3339 with an offset, or a day, which means midnight UTC. */
  readonly before?: string
  /** Default: at least one event. */
  readonly count?: Count
  /** The number of events that count. */
  readonly counted: number
  /** The required number of events. */
  readonly needed: Count
  /** The newest events that the rule is about, at most 100. */
  readonly evidence: readonly Evidence[]
  /** Whether this part holds. */
  readonly holds: boolean
  /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
  readonly until: string | null
}

export interface WhyLast {
  /** The name of the events, or the beginning of the name. */
  readonly event: EventName
  /** Only events that pass these tests count. */
  readonly where?: Where
  /** Tests of the newest event that passes `where`. */
  readonly last: Where
  /** The newest events that the rule is about, at most 100. */
  readonly evidence: readonly Evidence[]
  /** Whether this part holds. */
  readonly holds: boolean
  /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
  readonly until: string | null
}

export interface WhyProperty {
  /** A JSON pointer, such as /plan or /address/city. */
  readonly property: string
  /** The test of the value. */
  readonly is: ValueTest | InstantTest
  /** The duration for which the test must have held without a break. Only allowed with a test of a value. */
  readonly for?: string
  /** The current value, if any. */
  readonly value?: unknown
  /** Present if the rule compares the value with a time and the value is not a time. */
  readonly not_a_time?: true
  /** Whether this part holds. */
  readonly holds: boolean
  /** The first instant at which `holds` changes if no more facts are recorded. Null if it never changes. */
  readonly until: string | null
}
