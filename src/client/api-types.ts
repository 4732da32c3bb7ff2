// Generated from the schemas of the OpenAPI document. Do not edit: run `npm run generate`.
// Hash of the schemas: 7f1f386d6f21eb6f

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
      /** The idempotency key, in the form of the header Idempotency-Key. */
      readonly idempotency_key?: string
      /** Your name for the customer or user. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly external_id: string
      /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Left out: {}. */
      readonly properties?: Properties
      /** When the customer or user came to be, if it is not now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC; from the year 1900 to 60 seconds after receipt; no second 60; digits beyond milliseconds are cut off. */
      readonly occurred_at?: string
    }
  | {
      /** The kind of write. */
      readonly op: 'update_entity'
      /** The idempotency key, in the form of the header Idempotency-Key. */
      readonly idempotency_key?: string
      /** Whole values. Each replaces the value that the entity has under that name. */
      readonly set?: Properties
      /** Names of properties to remove. Names that the entity does not have are ignored. */
      readonly unset?: readonly string[]
      /** Creates the entity if it does not exist, with `set` as its properties. */
      readonly upsert?: boolean
      /** When it changed. Of each property, the change with the latest time wins. The time is the time of the creation if the request creates the entity, if it is not now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC; from the year 1900 to 60 seconds after receipt; no second 60; digits beyond milliseconds are cut off. */
      readonly occurred_at?: string
      /** Your name for the customer or user. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly external_id: string
    }
  | {
      /** The kind of write. */
      readonly op: 'record_event'
      /** The idempotency key, in the form of the header Idempotency-Key. */
      readonly idempotency_key?: string
      /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly entity_external_id: string
      /** The name of the event. Characters of any script, no control characters, no white space at either end, not "." or "..". */
      readonly name: string
      /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Left out: {}. */
      readonly properties?: Properties
      /** The time of the event, if it is not now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC; from the year 1900 to 60 seconds after receipt; no second 60; digits beyond milliseconds are cut off. */
      readonly occurred_at?: string
      /** Creates the entity first if it does not exist, without properties. The creation has the time of the event. */
      readonly upsert?: boolean
    }
  | {
      /** The kind of write. */
      readonly op: 'void_event'
      /** The idempotency key, in the form of the header Idempotency-Key. */
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
      /** The idempotency key, in the form of the header Idempotency-Key. */
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
      /** The idempotency key, in the form of the header Idempotency-Key. */
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
      /** Minutes, hours, days or weeks, such as 30m, 12h, 7d, 2w. */
      readonly ago: string
    }
  | {
      /** Minutes, hours, days or weeks, such as 30m, 12h, 7d, 2w. */
      readonly ahead: string
    }

/** A fixed pseudo-random share of all entities. */
export interface BucketRule {
  /** A share of all entities in percent. The selected entities never change. */
  readonly bucket: {
    /** Another salt picks other entities. */
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
  /** When the change was recorded. Null: there was nothing to change, and no fact is stored. Position is the position of the creation. */
  readonly updated_at: string | null
  /** The own time, in UTC with milliseconds. Present if it was sent. */
  readonly occurred_at?: string
}

export interface ChangedMember {
  /** The key of the segment. */
  readonly segment: string
  /** The external_id of the entity. */
  readonly external_id: string
  /** Present if it was sent. */
  readonly reason?: string
  /** When it was recorded. */
  readonly at: string
}

/** The required number of events. */
export type Count =
  | {
      /** At least so many events. */
      readonly gte: number
    }
  | {
      /** At most so many events. */
      readonly lte: number
    }
  | {
      /** Exactly so many events. */
      readonly eq: number
    }

/** A condition on the number of events: within a window that ends now, or between fixed times. */
export interface CountRule {
  /** The name of the events, or the beginning of the name. */
  readonly event: EventName
  /** Only events that pass these tests count. */
  readonly where?: Where
  /** Cannot be combined with after and before. */
  readonly within?: string
  /** Only events at or after this instant. */
  readonly after?: string
  /** RFC 3339 with an offset, or a day, which means midnight UTC. */
  readonly before?: string
  /** Default: at least one. */
  readonly count?: Count
}

export interface CreatedEntity {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** When the customer or user came to be. Without such a time, `recorded_at`. */
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
  /** The types of facts that are sent; null: all that can be sent. */
  readonly types: readonly string[] | null
  /** The names of the events that are sent; null: every fact. */
  readonly events: readonly string[] | null
  /** The segments whose facts are sent; null: every fact. */
  readonly segments: readonly string[] | null
  /** The entity whose facts are sent; null: every fact. */
  readonly entity_id: string | null
  /** Whether each message has the profile. */
  readonly profile: boolean
  /** failing: the receiver did not accept the last attempt for some fact. */
  readonly state: 'active' | 'paused' | 'failing'
  /** Null while the webhook is not paused. */
  readonly paused: {
    /** The origin of the pause. */
    readonly by: 'request' | 'receiver' | 'service'
    /** requested: by a request. gone: the receiver replied with 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the place of the webhook. */
    readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The failure of the receiver; null while it does not fail. */
  readonly failing: {
    /** UTC with milliseconds. */
    readonly since: string
    /** The status of the reply; null: no reply. */
    readonly status: number | null
    /** The error of the last attempt. */
    readonly error: string
  } | null
  /** The progress of delivery. The sending process reports the present state; other replicas are up to 60 seconds late. */
  readonly delivered_to: {
    /** The position up to which everything is delivered. */
    readonly position: string
    /** The cursor of the fact at this position. */
    readonly cursor: string
  }
  /** The lag; null when the read model does not answer. */
  readonly behind: {
    /** The number of facts that are not delivered yet. */
    readonly facts: number
    /** Whether there may be more: only the next 10,000 facts of the log are read. */
    readonly more: boolean
    /** The age of the oldest of these facts. */
    readonly seconds: number
  } | null
  /** The last delivery; null before the first. */
  readonly last_delivery: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The status of the reply. */
    readonly status: number
  } | null
  /** UTC with milliseconds. */
  readonly defined_at: string
  /** The secret that signs, in the form of Standard Webhooks. It is shown once: store it at the receiver. */
  readonly secret?: string
  /** Names in the filter that the service does not know. */
  readonly hints: readonly string[]
}

/** One broken rule of a request. */
export interface Detail {
  /** A JSON Pointer into the body; "" is the whole body. For a path or query parameter, it has the name of the parameter; "" is the whole query. */
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
  /** False: a name or a property is left out, because there are too many, or events are being counted again. */
  readonly complete: boolean
}

export interface DictionaryEvent {
  /** The name of the events. */
  readonly name: string
  /** The number of events. */
  readonly count: number
  /** The UTC day of the first event, by the time of the event. */
  readonly first_day: string
  /** The UTC day of the last event, by the time of the event. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** Whole values. Each replaces the value that the entity has under that name. */
  readonly set?: Properties
  /** Names of properties to remove. Names that the entity does not have are ignored. */
  readonly unset?: readonly string[]
  /** Creates the entity if it does not exist, with `set` as its properties. */
  readonly upsert?: boolean
  /** When it changed. Of each property, the change with the latest time wins. The time is the time of the creation if the request creates the entity, if it is not now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC; from the year 1900 to 60 seconds after receipt; no second 60; digits beyond milliseconds are cut off. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
    /** The first instant at which membership changes if no more facts are recorded; null: never. */
    readonly until: string | null
  }[]
  /** The keys of segments that this process does not serve yet. Membership in them is unknown until they are built. Absent if there are none. */
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
  /** The id of the entity's creation fact. Delete all data of this entity_id, as at its EntityErased, which a store may have removed too. Absent in version 1. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The name of the recipient; or, with the scope erase, of a node whose disk is gone for good. Send no personal data: it is kept for ever. */
  readonly recipient: string
  /** The position up to which it has processed the facts. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** How many facts, by type. */
  readonly facts: {
    readonly [key: string]: number
  }
  /** The number of idempotency keys. */
  readonly keys: number
  /** The keys of its segments. */
  readonly segments: readonly string[]
}

/** A place of facts of the entity, or a recipient. */
export interface ErasurePlace {
  /** The name of the place, or of the recipient. */
  readonly place: string
  /** The node, if there are several. */
  readonly node?: string
  /** purged: the place has nothing of the entity. until_vacuum: purged once the file is rewritten (npm run vacuum). waiting: something may be there. confirmed: a recipient has confirmed. */
  readonly state: 'waiting' | 'purged' | 'until_vacuum' | 'confirmed'
  /** The reason for waiting. */
  readonly for?: 'active_chunk' | 'scavenge' | 'unreachable'
  /** When this state was first seen. */
  readonly at?: string
  /** How the state was checked. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** Your name for the request. */
  readonly reference: string | null
  /** UTC with milliseconds. */
  readonly requested_at: string
  /** The time and position from which the entity no longer exists; null: not recorded yet. */
  readonly effective: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The position of the fact that says so. */
    readonly position: string
  } | null
  /** What was removed from the store; null: nothing yet. */
  readonly removed: {
    /** How many facts, by type. */
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
  /** The places of the facts, and the recipients. */
  readonly places: readonly ErasurePlace[]
  /** When reuse of the external_id was permitted; null: it was not. */
  readonly suppression_lifted_at: string | null
  /** What this erasure does not reach. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** Null: the entity is not a member. */
  readonly since: string | null
  /** The first instant at which membership changes if no more facts are recorded; null: never. */
  readonly until: string | null
  /** All periods of membership. */
  readonly periods: readonly {
    /** The entry. */
    readonly entered: MembershipChange
    /** Null: the entity is still a member. */
    readonly left: MembershipChange | null
  }[]
  /** Null if the entity does not exist. */
  readonly why: Why | null
}

export interface Evaluation {
  /** What must hold of an entity. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** Null: the entity is not a member. */
  readonly since: string | null
  /** The first instant at which membership changes if no more facts are recorded; null: never. */
  readonly until: string | null
  /** All periods of membership. */
  readonly periods: readonly {
    /** The entry. */
    readonly entered: MembershipChange
    /** Null: the entity is still a member. */
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
  /** The facts of the page, in their order. */
  readonly items: readonly Fact[]
  /** Send it as `cursor` for the next page, also later, when there are more facts. */
  readonly next_cursor: string
  /** True: the store has no facts after this page, which was checked during the request. Also false if the store did not answer in time. */
  readonly at_head: boolean
}

/** A fault in a reply of the service. */
export interface Fault {
  /** The code of the fault, for programs. Stable. */
  readonly code: FaultCode
  /** For people: what to do. */
  readonly message: string
  /** Every rule that the request breaks. */
  readonly details: readonly Detail[]
  /** The id of the request, for the operator. */
  readonly request_id: string
}

/** The code of the fault, for programs. Stable. */
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
  /** The id of the fact that changed it. */
  readonly fact_id: string
  /** When it was recorded. */
  readonly changed_at: string
  /** When it happened; without such a time, when it was recorded. */
  readonly occurred_at: string
  /** The JSON value that was sent. */
  readonly set: Properties
  /** The names of the removed properties. */
  readonly unset: readonly string[]
  /** The id of the request that changed it. */
  readonly request_id: string
}

/** A strict comparison of a time. */
export type InstantTest =
  | {
      /** The time is before this one. */
      readonly before: Boundary
    }
  | {
      /** The time is after this one. */
      readonly after: Boundary
    }

export type ItemResult =
  | {
      /** 201: the item created something. */
      readonly status: 200 | 201
      /** The data of the reply to the single request. */
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
    /** The limit of this key at each process; null: no limit. */
    readonly requests_a_second: number | null
    /** The largest body, in bytes. */
    readonly body_bytes: number
    /** The largest body of a batch, in bytes. */
    readonly batch_bytes: number
    /** The most items of a batch. */
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
  /** The own time of its creation. */
  readonly created_at: string
  /** The time at which the creation was recorded. */
  readonly recorded_at: string
  /** The latest own time of a property change or of its creation. */
  readonly updated_at: string
  /** The latest time at which an event happened. Null: no events. Present if `order` was sent. */
  readonly last_event_at?: string | null
}

export interface ListedEvent {
  /** The id of the event. */
  readonly id: string
  /** What happened. */
  readonly name: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** When it was recorded. */
  readonly timestamp: string
  /** When it happened; without such a time, when it was recorded. */
  readonly occurred_at: string
  /** When it was voided. Present for voided events, which include=voided lists. */
  readonly voided_at?: string
  /** Why it was voided. Present if the void has a reason. */
  readonly void_reason?: string
}

export interface Member {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** By log time. */
  readonly since: string
  /** The values at the pointers of `properties`, if that parameter was sent. */
  readonly properties?: Properties
}

export interface MemberChange {
  /** The reason. It is stored in the fact. */
  readonly reason?: string
}

export interface MembersOfDay {
  /** By UTC. */
  readonly day: string
  /** The number at the end of the day. On the day of the log time, the current number. */
  readonly members: number
}

export interface MembersPage {
  /** The items of the page. */
  readonly items: readonly Member[]
  /** The version of these members. */
  readonly version: number
  /** The number of members on all pages. */
  readonly members: number
  /** Equal for equal sets of members: the sum, modulo 2 to the 64th, of the first 8 bytes, big-endian, of SHA-256 of the entity_id of each member. */
  readonly digest: string
  /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
  readonly next_cursor: string | null
}

/** An entry into a segment, or an exit. */
export interface MembershipChange {
  /** UTC with milliseconds. */
  readonly at: string
  /** The cause of the change. */
  readonly cause: {
    /** What caused the change. */
    readonly kind:
      | 'event'
      | 'properties'
      | 'created'
      | 'hand'
      | 'segment'
      | 'time'
      | 'voided'
      | 'definition'
    /** The id of the fact that caused it, if a fact did. */
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
  /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Left out: {}. */
  readonly properties?: Properties
  /** When the customer or user came to be, if it is not now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC; from the year 1900 to 60 seconds after receipt; no second 60; digits beyond milliseconds are cut off. */
  readonly occurred_at?: string
}

export interface NewErasure {
  /** The external_id of the entity to erase. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly external_id: string
  /** Whether reuse of the external_id is blocked until that is lifted; true if nothing is said. Otherwise the next write of a queue, or an upsert, creates the entity again. */
  readonly suppress?: boolean
  /** The services that follow the facts and must confirm the erasure. */
  readonly recipients?: readonly string[]
  /** Your name for the request. Send no personal data: it is kept for ever. */
  readonly reference?: string
}

/** An event to record. */
export interface NewEvent {
  /** The external_id of the entity. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly entity_external_id: string
  /** The name of the event. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly name: string
  /** Any JSON object: at most 512 members, keys of 1 to 255 characters, at most 8 levels, whole numbers within ±(2^53 − 1). Left out: {}. */
  readonly properties?: Properties
  /** The time of the event, if it is not now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC; from the year 1900 to 60 seconds after receipt; no second 60; digits beyond milliseconds are cut off. */
  readonly occurred_at?: string
  /** Creates the entity first if it does not exist, without properties. The creation has the time of the event. */
  readonly upsert?: boolean
}

export interface Operations {
  /** Create an entity. An existing one is never overwritten. */
  readonly createEntity: {
    /** A customer or user to create. */
    readonly body: NewEntity
    readonly data: CreatedEntity
  }
  /** All entities in the order of their creation or of their last events, or the entities that a parameter selects. */
  readonly listEntities: {
    readonly query: {
      /** Only the entity with this id. */
      readonly entity_id?: string
      /** Only entities whose `external_id` begins with this text, ordered by `external_id`. */
      readonly starts_with?: string
      /** Only entities that have the text `is` at this JSON pointer. The pointer must be searchable. */
      readonly property?: string
      /** The exact text at `property`. */
      readonly is?: string
      /** `created`: in the order of creation. `last_event`: the entities with the latest events by the time of the event, the latest first, in one page; entities without events are omitted. Default: `created`. */
      readonly order?: 'created' | 'last_event'
      /** Properties that are sent with each item. JSON pointers, separated by commas. A pointer cannot contain a comma. */
      readonly properties?: string
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly ListedEntity[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** Change an entity's properties without reading them: whole values, name by name. */
  readonly updateEntity: {
    readonly body: EntityChange
    readonly data: ChangedEntity | CreatedEntity
  }
  /** The profile of an entity: now, as of a time, or as it was known at a time. */
  readonly getProfile: {
    readonly query: {
      /** Uses only facts whose own time is this time or earlier: the time that was sent, or the time of recording. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
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
      /** The results in the order of the items. Each equals the reply to the single request. */
      readonly results: readonly ItemResult[]
      /** The numbers of items by outcome. */
      readonly counts: {
        /** Now. */
        readonly stored: number
        /** Stored by an earlier request with this idempotency key. */
        readonly replayed: number
        /** Not stored by this batch. */
        readonly refused: number
        /** May or may not be stored: 500 and 504. */
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
  /** Erase an entity: effective at once, then removed from the store. Every answer is a receipt. */
  readonly eraseEntity: {
    readonly query: {
      /**
       * true: nothing is erased; the answer says what would be erased.
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
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
      /** Only the erasure that blocks reuse of this external_id. */
      readonly external_id?: string
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly ErasureReceipt[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** The receipt of an erasure, in its present state. */
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
  /** Let the external_id of an erased entity be used again. */
  readonly liftSuppression: {
    /** The progress of an erasure. */
    readonly data: ErasureReceipt
  }
  /** Define a webhook: create it, or give it a new version if the definition differs. */
  readonly defineWebhook: {
    readonly body: WebhookDefinition
    readonly data: DefinedWebhook
  }
  /** Remove a webhook. Nothing is sent any more, and its key may be defined again. */
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
  /** Resume a paused webhook: at the fact after the last delivered one, or from another place. */
  readonly resumeWebhook: {
    readonly body: WebhookResumption
    readonly data: Webhook
  }
  /** Deliver from another place, earlier or later. A later place skips facts. A paused webhook stays paused. */
  readonly replayWebhook: {
    readonly body: WebhookReplay
    readonly data: Webhook
  }
  /** Send one message of the type `webhook.test`, and return the reply of the receiver. */
  readonly testWebhook: {
    readonly data: WebhookTest
  }
  /** Make a new secret. The former secret signs too, for 24 hours. */
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
  /** Whether the process works. */
  readonly getHealthLive: {
    readonly data: Health
  }
  /** Whether the store answers and the clock is trusted, so that requests can be sent. */
  readonly getHealthReady: {
    readonly data: Health
  }
  /** The name, the scopes and the limits of the key of the request. */
  readonly getKey: {
    readonly data: Key
  }
  /** The latest requests that this process refused with 4xx, without the sent values. */
  readonly getRefusals: {
    readonly query: {
      /** Lists refused reads, too. Without it, the list has refused writes alone. */
      readonly include?: 'reads'
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: Refusals
  }
  /** The state of this process: its store, its reads, and its unpublished changes. */
  readonly getStatus: {
    readonly data: ServiceStatus
  }
  /** The entities that have a value at a property of their profile or of their events. */
  readonly searchEntities: {
    readonly query: {
      /** Searches the events with exactly this name. Absent: searches profiles. */
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
  /** The names of events and properties that exist, with counts and JSON types. */
  readonly getDictionary: {
    readonly data: Dictionary
  }
  /** The number of entities and events, in all and on each day. */
  readonly getTotals: {
    readonly query: {
      /** The first day. Default: 30 days before the end. YYYY-MM-DD, or RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly since?: string
      /** Only days that begin before this time. Default: up to now. YYYY-MM-DD, or RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly until?: string
    }
    readonly data: Totals
  }
  /** An entity's events, by when they occurred or were recorded. */
  readonly getTimeline: {
    readonly query: {
      /**
       * The time that order, since and until refer to.
       * @default occurred
       */
      readonly by?: 'occurred' | 'recorded'
      /**
       * The order by that time. Events with equal times are in the order of recording.
       * @default desc
       */
      readonly order?: 'desc' | 'asc'
      /** Only events with exactly this name. */
      readonly name?: string
      /** Only events at this time or later. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly since?: string
      /** Only events before this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly until?: string
      /** Lists voided events, too. They have voided_at, and void_reason if a reason was sent. */
      readonly include?: 'voided'
      /** Uses only facts whose own time is this time or earlier: the time that was sent, or the time of recording. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly known_at?: string
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly ListedEvent[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** Void an event: it counts nowhere any more, and stays in the log. */
  readonly voidEvent: {
    readonly query: {
      /** The reason. It is stored in the fact. */
      readonly reason?: string
    }
    readonly data: VoidedEvent
  }
  /** The creation and the changes of an entity's properties, by when they were recorded or happened. */
  readonly getHistory: {
    readonly query: {
      /**
       * The time that order, since and until refer to: recording, or own time.
       * @default recorded
       */
      readonly by?: 'recorded' | 'occurred'
      /**
       * The order by that time. Changes with equal times are in the order of recording.
       * @default desc
       */
      readonly order?: 'desc' | 'asc'
      /** Only changes at this time or later. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly since?: string
      /** Only changes before this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly until?: string
      /** Uses only facts whose own time is this time or earlier: the time that was sent, or the time of recording. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly known_at?: string
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly HistoryEntry[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** All facts in their order: a page, or a stream that continues. */
  readonly readFacts: {
    readonly query: {
      /** Continue after this place: the `next_cursor` of a page, or the `id` of a frame. The fact at the cursor must still be there. */
      readonly cursor?: string
      /** Where to begin: `start` (the default), `now`, or a position, which is not checked. Not together with `cursor`. */
      readonly after?: string
      /** Only facts of these types, separated by commas: EntityCreated, EntityPropertiesChanged, EventRecorded, EventVoided, SegmentDefined, SegmentRetired, EntityAddedToSegment, EntityRemovedFromSegment, SegmentBuilt, EntityEnteredSegment, EntityLeftSegment, TimePassed, EntityErased, EntityErasureRecorded, ErasedFactsRemoved, ErasurePlaceChecked, ErasureConfirmed, ErasureSuppressionLifted, WebhookDefined, WebhookRemoved, WebhookPaused, WebhookResumed, WebhookReplayed, WebhookSecretRotated, WebhookProgressRecorded. */
      readonly types?: string
      /** Only facts of the entity with this external_id. */
      readonly entity?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: FactsPage
  }
  /** All segments, ordered by key. */
  readonly listSegments: {
    readonly query: {
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly Segment[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** All versions of a segment, newest first, also of a retired segment. */
  readonly listSegmentVersions: {
    readonly query: {
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly SegmentVersion[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** The members of a segment, in the order of the creation of the entities. */
  readonly listMembers: {
    readonly query: {
      /** Properties that are sent with each item. JSON pointers, separated by commas. A pointer cannot contain a comma. */
      readonly properties?: string
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: MembersPage
  }
  /** The entities that entered and left a segment, newest first, and why. */
  readonly listMemberChanges: {
    readonly query: {
      /** Only changes at this time or later. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly since?: string
      /** Only changes before this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly until?: string
      /** The `next_cursor` of the previous page. All other parameters must be equal. */
      readonly cursor?: string
      /**
       * The most items of a page. A page can have fewer items although others follow.
       * @default 100
       */
      readonly limit?: number
    }
    readonly data: {
      /** The items of the page. */
      readonly items: readonly RecordedChange[]
      /** Send it as `cursor` with otherwise equal parameters. Null at the end. */
      readonly next_cursor: string | null
    }
  }
  /** The number of members of a segment at the end of each day, and now. */
  readonly getSegmentCurve: {
    readonly query: {
      /** The first day. Default: 90 days before the end. YYYY-MM-DD, or RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly since?: string
      /** Only days that begin before this time. Default: up to now. YYYY-MM-DD, or RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly until?: string
    }
    readonly data: {
      /** The days, oldest first. */
      readonly items: readonly MembersOfDay[]
    }
  }
  /** The segments of an entity: now, as of a time, or as they were known at a time. */
  readonly getEntitySegments: {
    readonly query: {
      /** Uses only facts whose own time is this time or earlier: the time that was sent, or the time of recording. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly known_at?: string
    }
    readonly data: EntitySegments
  }
  /** Whether an entity is a member of a segment, since and until when, and why. */
  readonly explainSegment: {
    readonly query: {
      /** Uses only facts whose own time is this time or earlier: the time that was sent, or the time of recording. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
      readonly as_of?: string
      /** Uses only facts that were known at this time. RFC 3339 with an offset, whose "+" is "%2B" in a URL. */
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
  /** The number of entities that a rule matches, a sample of them, and the entities that would enter and leave. Nothing is stored. */
  readonly previewRule: {
    readonly body: PreviewRequest
  }
  /** Whether reads are answered: the read model is built. */
  readonly getHealthReadyReads: {
    readonly data: Health
  }
}

export interface PreviewChange {
  /** The number of entities. */
  readonly count: number
  /** A random sample of external_ids, in the order of creation. Equal members have equal samples. */
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
  /** The condition of the rule. */
  readonly by: CountRule
  /** The members, the highest first. */
  readonly items: readonly RankedMember[]
}

export interface PreviewRequest {
  /** What must hold of an entity. */
  readonly rule: Rule
  /** The segment whose members are compared with those of the rule. */
  readonly against?: string
  /** The most external_ids in each sample. Default: 10. */
  readonly sample?: number
  /** A JSON pointer to a number in the properties of an event. Members are ranked by its sum instead of by their number of events. */
  readonly sum?: string
}

export interface PreviewResult {
  /** The position at which the result is exact. */
  readonly position: string
  /** UTC with milliseconds. */
  readonly log_time: string
  /** The exact number of members. */
  readonly members: number
  /** Equal for equal sets of members: the sum, modulo 2 to the 64th, of the first 8 bytes, big-endian, of SHA-256 of the entity_id of each member. */
  readonly digest: string
  /** A random sample of external_ids, in the order of creation. Equal members have equal samples. */
  readonly sample: readonly string[]
  /** Entities that would enter the compared segment. */
  readonly entering: PreviewChange
  /** Entities that would leave the compared segment. */
  readonly leaving: PreviewChange
  /** Up to 20 members with the highest sums, or otherwise with the most events. They are ranked by the first condition of the rule that counts events. Null if the rule counts no events outside `not`. */
  readonly top: PreviewRanking | null
  /** The names of all existing events. If there are more than 50, the first ones that were found. */
  readonly event_names: readonly string[]
  /** Event names in the rule of which no event exists. */
  readonly unseen_events: readonly string[]
}

export interface Profile {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** The own time of its creation. With as_of, it may be later than as_of: an earlier change or event suffices. */
  readonly created_at: string
  /** The time at which the creation was recorded. */
  readonly recorded_at: string
  /** The latest own time of a property change or of its creation. */
  readonly updated_at: string
  /** The number of its events. */
  readonly event_count: number
  /** When its latest event occurred; null without events. */
  readonly last_event_at: string | null
  /** The segments of which it is a member, and since when. */
  readonly segments: readonly {
    /** The key of the segment. */
    readonly key: string
    /** UTC with milliseconds. */
    readonly since: string
  }[]
  /** The keys of segments that this process does not serve yet. Membership in them is unknown until they are built. Absent if there are none. */
  readonly segments_building?: readonly string[]
  /** Present if as_of or known_at was sent; null: no bound. */
  readonly as_of?: string | null
  /** Present if as_of or known_at was sent; null: no bound. */
  readonly known_at?: string | null
}

/** A condition on a property of the entity. */
export interface PropertyRule {
  /** A JSON pointer, such as /plan or /address/city. */
  readonly property: string
  /** The test of the value. */
  readonly is: ValueTest | InstantTest
  /** The duration for which the test has held without a break. Only with a test of a value. */
  readonly for?: string
}

export interface RankedMember {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The number of events that match the condition, without its limits. */
  readonly count: number
  /** The sum of the requested number, as a double. Null if none was requested. */
  readonly sum: number | null
}

export interface RecordedChange {
  /** The external_id of the entity. */
  readonly external_id: string
  /** By log time. */
  readonly at: string
  /** Whether the entity entered or left. */
  readonly change: 'enter' | 'leave'
  /** The cause of the change. */
  readonly cause: {
    /** What caused the change. */
    readonly kind: 'event' | 'properties' | 'created' | 'hand' | 'segment' | 'time' | 'voided'
    /** Absent if time caused it. */
    readonly fact_id?: string
  }
}

export interface RecordedEvent {
  /** The event's id, which is its fact's id. */
  readonly id: string
  /** The external_id of the entity. */
  readonly entity_external_id: string
  /** What happened. */
  readonly name: string
  /** The JSON value that was sent. */
  readonly properties: Properties
  /** When it was recorded: UTC with milliseconds. */
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
  /** Send it as `cursor` for the next page, also later, when there are more refusals. */
  readonly next_cursor: string
  /** Whether refusals between `cursor` and the first item may be missing, because another process answers or the list dropped them. */
  readonly reset: boolean
  /** The number of requests without a valid key since the start. They are not listed. */
  readonly unauthenticated: number
}

export interface RemovedWebhook {
  /** The key of the webhook. */
  readonly key: string
  /** The version that it had. */
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
  /** The types of facts that are sent; null: all that can be sent. */
  readonly types: readonly string[] | null
  /** The names of the events that are sent; null: every fact. */
  readonly events: readonly string[] | null
  /** The segments whose facts are sent; null: every fact. */
  readonly segments: readonly string[] | null
  /** The entity whose facts are sent; null: every fact. */
  readonly entity_id: string | null
  /** Whether each message has the profile. */
  readonly profile: boolean
  /** failing: the receiver did not accept the last attempt for some fact. */
  readonly state: 'active' | 'paused' | 'failing'
  /** Null while the webhook is not paused. */
  readonly paused: {
    /** The origin of the pause. */
    readonly by: 'request' | 'receiver' | 'service'
    /** requested: by a request. gone: the receiver replied with 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the place of the webhook. */
    readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The failure of the receiver; null while it does not fail. */
  readonly failing: {
    /** UTC with milliseconds. */
    readonly since: string
    /** The status of the reply; null: no reply. */
    readonly status: number | null
    /** The error of the last attempt. */
    readonly error: string
  } | null
  /** The progress of delivery. The sending process reports the present state; other replicas are up to 60 seconds late. */
  readonly delivered_to: {
    /** The position up to which everything is delivered. */
    readonly position: string
    /** The cursor of the fact at this position. */
    readonly cursor: string
  }
  /** The lag; null when the read model does not answer. */
  readonly behind: {
    /** The number of facts that are not delivered yet. */
    readonly facts: number
    /** Whether there may be more: only the next 10,000 facts of the log are read. */
    readonly more: boolean
    /** The age of the oldest of these facts. */
    readonly seconds: number
  } | null
  /** The last delivery; null before the first. */
  readonly last_delivery: {
    /** UTC with milliseconds. */
    readonly at: string
    /** The status of the reply. */
    readonly status: number
  } | null
  /** UTC with milliseconds. */
  readonly defined_at: string
  /** The secret that signs, in the form of Standard Webhooks. It is shown once: store it at the receiver. */
  readonly secret: string
  /** The time until which the former secret signs too. */
  readonly former_secret_until: string
}

/** The condition that an entity must meet. At most 64 rule objects in 8 levels. The members of a rule object tell its kind: there is no discriminator. */
export type Rule =
  | {
      /** All of these hold. */
      readonly all: readonly Rule[]
    }
  | {
      /** At least one of these holds. */
      readonly any: readonly Rule[]
    }
  | {
      /** This does not hold. */
      readonly not: Rule
    }
  | PropertyRule
  | CountRule
  | LastRule
  | {
      /** Holds of every entity. */
      readonly everyone: true
    }
  | {
      /** The key of a segment: the entity is a member. */
      readonly segment: string
    }
  | {
      /** A test of the time when the entity was created. */
      readonly created: InstantTest
    }
  | BucketRule

/** A value without members or items. */
export type Scalar = null | boolean | number | string

export interface SearchHit {
  /** The external_id of the entity. */
  readonly external_id: string
  /** The id of the fact that created the entity. */
  readonly entity_id: string
  /** The properties of the entity, or the values at the pointers of `properties`, if that parameter was sent. */
  readonly properties: Properties
  /** The own time of its creation. */
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
  /** The number of entities that were looked at. 0 if only the index was read. */
  readonly looked_at: number
  /** The number of hits so far. */
  readonly hits: number
}

export interface SearchResult {
  /** The number of all entities. */
  readonly entities: number
  /** The number of entities that were looked at. 0 if only the index was read. */
  readonly looked_at: number
  /** The number of hits so far. */
  readonly hits: number
  /** Whether an index of SEARCH_PROPERTIES found the hits with this text. */
  readonly indexed: boolean
  /** False: the search ended at a limit of time, entities, hits or bytes, so more entities may match. */
  readonly complete: boolean
}

export interface Segment {
  /** The key of the segment. */
  readonly key: string
  /** Each change makes a new version: 1, 2, 3, … */
  readonly version: number
  /** The name of the segment, for people. */
  readonly title: string
  /** rule: the rule says who is a member. hand: members are added by hand. */
  readonly kind: 'rule' | 'hand'
  /** Null for a segment by hand. */
  readonly rule: Rule | null
  /** building: a newer version or the first version is being built. diverged: the recorded changes differ from the changes that follow from the facts. */
  readonly status: 'building' | 'live' | 'diverged'
  /** The version whose members are served; null if no version is served yet. */
  readonly serving_version: number | null
  /** The progress of the build, 0 to 1; null without a build. */
  readonly progress: number | null
  /** The number of members; null if no version is served yet. */
  readonly members: number | null
  /** Equal for equal members; null if no version is served yet. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The condition that an entity must meet. At most 64 rule objects in 8 levels. The members of a rule object tell its kind: there is no discriminator. */
  readonly rule?: Rule
  /** The version of the meaning of rules. A reader that evaluates rules must stop at an unknown version. */
  readonly evaluator: number
  /** The time of the definition: UTC, milliseconds. */
  readonly defined_at: string
}

export interface SegmentDefinedFact {
  /** The position of the fact in the whole store. */
  readonly position: string
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** rule: the rule says who is a member. hand: members are added by hand. */
  readonly kind: 'rule' | 'hand'
  /** The rule. Required for a segment by rule, left out for a segment by hand. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** rule: the rule says who is a member. hand: members are added by hand. */
  readonly kind: 'rule' | 'hand'
  /** Null for a segment by hand. */
  readonly rule: Rule | null
  /** UTC with milliseconds. */
  readonly defined_at: string
  /** When the segment was retired at this version; null if it was not. */
  readonly retired_at: string | null
}

export interface ServiceStatus {
  /** The version of the service. */
  readonly version: string
  /** The kind of store. */
  readonly store_kind: string
  /** Whether the store accepts writes, and otherwise the reason. */
  readonly store: 'ready' | 'store_unavailable' | 'clock_untrusted' | 'shutting_down'
  /** `stalled`: the read model cannot apply the next fact; `off`: READ_MODEL=off. */
  readonly reads: 'ready' | 'building' | 'stalled' | 'off'
  /** The position of the last fact that is known to be stored; null without a read model. */
  readonly head: string | null
  /** The position of the last fact that reads include. */
  readonly position: string | null
  /** The distance from `position` to `head`: in facts, or in bytes of EventStoreDB. */
  readonly lag_positions: number | null
  /** The highest instant in the fact log up to `position`. */
  readonly log_time: string | null
  /** The state of segments; null without a read model. */
  readonly segments: {
    /** The number of membership changes that this process has derived and that are not in the fact log yet. */
    readonly unpublished: number
    /** When the oldest of these changes was derived; null without one. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The number of their events. */
  readonly events: number
  /** The days, oldest first. */
  readonly days: readonly TotalsDay[]
}

export interface TotalsDay {
  /** By UTC. */
  readonly day: string
  /** The number of entities that were created. */
  readonly new_people: number
  /** The number of events by name, by the time of the event. Contains the 20 most frequent names of all returned days; a name without events on this day is absent. */
  readonly events: {
    readonly [key: string]: number
  }
  /** The number of events with other names. */
  readonly others: number
}

/** A test of a value: all members must pass. A missing value fails every test except `exists: false` and a `not` whose test fails. */
export interface ValueTest {
  /** The value equals this. */
  readonly eq?: Scalar
  /** The value equals one of these. */
  readonly in?: readonly Scalar[]
  /** The value is a number above this. */
  readonly gt?: number
  /** The value is this number or above. */
  readonly gte?: number
  /** The value is a number below this. */
  readonly lt?: number
  /** The value is this number or below. */
  readonly lte?: number
  /** The value is a text that begins with this. */
  readonly starts_with?: string
  /** The value is a text that contains this. */
  readonly contains?: string
  /** The value is a list that contains this item. */
  readonly includes?: Scalar
  /** true: there is a value. false: there is none. */
  readonly exists?: boolean
  /** Passes exactly when the nested test as a whole fails. */
  readonly not?: ValueTest
}

export interface VoidedEvent {
  /** The event's id. */
  readonly id: string
  /** When it was voided: by the first request. */
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
  /** The types of facts that are sent; null: all that can be sent. */
  readonly types: readonly string[] | null
  /** The names of the events that are sent; null: every fact. */
  readonly events: readonly string[] | null
  /** The segments whose facts are sent; null: every fact. */
  readonly segments: readonly string[] | null
  /** The entity whose facts are sent; null: every fact. */
  readonly entity_id: string | null
  /** Whether each message has the profile. */
  readonly profile: boolean
  /** failing: the receiver did not accept the last attempt for some fact. */
  readonly state: 'active' | 'paused' | 'failing'
  /** Null while the webhook is not paused. */
  readonly paused: {
    /** The origin of the pause. */
    readonly by: 'request' | 'receiver' | 'service'
    /** requested: by a request. gone: the receiver replied with 410. failing: the receiver failed for 72 hours. position_unknown: the store has another fact at the place of the webhook. */
    readonly reason: 'requested' | 'gone' | 'failing' | 'position_unknown'
    /** UTC with milliseconds. */
    readonly at: string
  } | null
  /** The failure of the receiver; null while it does not fail. */
  readonly failing: {
    /** UTC with milliseconds. */
    readonly since: string
    /** The status of the reply; null: no reply. */
    readonly status: number | null
    /** The error of the last attempt. */
    readonly error: string
  } | null
  /** The progress of delivery. The sending process reports the present state; other replicas are up to 60 seconds late. */
  readonly delivered_to: {
    /** The position up to which everything is delivered. */
    readonly position: string
    /** The cursor of the fact at this position. */
    readonly cursor: string
  }
  /** The lag; null when the read model does not answer. */
  readonly behind: {
    /** The number of facts that are not delivered yet. */
    readonly facts: number
    /** Whether there may be more: only the next 10,000 facts of the log are read. */
    readonly more: boolean
    /** The age of the oldest of these facts. */
    readonly seconds: number
  } | null
  /** The last delivery; null before the first. */
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
  /** The status of the reply; null: no reply. */
  readonly status: number | null
  /** The error; null after a reply. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The address of the receiver: https, without user name and password. It is stored encrypted, and replies contain its origin only. */
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
  /** Only events with one of these names. Not together with `segments`. */
  readonly events?: readonly string[]
  /** Only facts that name one of these segments, of any version. */
  readonly segments?: readonly string[]
  /** Only facts of the entity with this external_id. Characters of any script, no control characters, no white space at either end, not "." or "..". */
  readonly entity?: string
  /** Whether each message has the profile of the entity. Default: false. */
  readonly profile?: boolean
  /** The place where delivery begins: `start`, `now`, or a cursor of the feed, whose fact must still be there. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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

/** The process that sends webhooks says how far each one is. Only the last one counts. */
export interface WebhookProgressRecorded {
  /** A random id of the process. */
  readonly sender: string
  /** released: the process sends no more, and another one may send at once. */
  readonly state: 'sending' | 'released'
  /** The progress of each webhook. */
  readonly webhooks: readonly {
    /** The key of the webhook. */
    readonly webhook: string
    /** The id of the fact that set where it began. */
    readonly start: string
    /** A position. Delivery begins after it; 0 is before all facts. */
    readonly position: string
    /** The id of the fact at this position, or the first characters of that id. Empty when the service does not check that this fact is there. */
    readonly fact: string
    /** The failure of the receiver. Absent while it does not fail. */
    readonly failing?: {
      /** Since when: UTC, milliseconds. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
  readonly id: string
  /** The type of the fact. */
  readonly type: 'WebhookProgressRecorded'
  /** The stream of the fact. */
  readonly stream: string
  /** The process that sends webhooks says how far each one is. Only the last one counts. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The place where delivery begins: `start`, `now`, or a cursor of the feed, whose fact must still be there. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The place where delivery begins: `start`, `now`, or a cursor of the feed, whose fact must still be there. */
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
  /** The id of the fact: the event's id of an event, the `entity_id` of a creation. */
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
  /** The status of the reply; null: no reply. */
  readonly status: number | null
  /** The error; null after a reply. */
  readonly error: string | null
  /** The time until the reply, in milliseconds. */
  readonly duration_ms: number
}

/** Tests of the properties of an event, by JSON pointer: all must pass. */
export interface Where {
  readonly [key: string]: ValueTest
}

/** The rule, part by part: whether the part holds, until when, and the events that are evidence of it. The members of a part tell its kind: there is no discriminator. */
export type Why =
  | {
      /** All of these hold. */
      readonly all: readonly Why[]
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | {
      /** At least one of these holds. */
      readonly any: readonly Why[]
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | {
      /** This does not hold. */
      readonly not: Why
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | WhyProperty
  | WhyCount
  | WhyLast
  | {
      /** Holds of every entity. */
      readonly everyone: true
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | {
      /** The key of a segment: the entity is a member. */
      readonly segment: string
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | {
      /** A test of the time when the entity was created. */
      readonly created: InstantTest
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | {
      /** A share of all entities in percent. The selected entities never change. */
      readonly bucket: {
        /** Another salt picks other entities. */
        readonly salt?: string
        /** The share in percent, 0 to 100. */
        readonly below: number
      }
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }
  | {
      /** Members are added by hand. */
      readonly by_hand: true
      /** Whether this part holds. */
      readonly holds: boolean
      /** The first instant at which this changes if no more facts are recorded; null: never. */
      readonly until: string | null
    }

export interface WhyCount {
  /** The name of the events, or the beginning of the name. */
  readonly event: EventName
  /** Only events that pass these tests count. */
  readonly where?: Where
  /** Cannot be combined with after and before. */
  readonly within?: string
  /** Only events at or after this instant. */
  readonly after?: string
  /** RFC 3339 with an offset, or a day, which means midnight UTC. */
  readonly before?: string
  /** Default: at least one. */
  readonly count?: Count
  /** The number of events that count. */
  readonly counted: number
  /** The required number of events. */
  readonly needed: Count
  /** The newest events that the rule is about, at most 100. */
  readonly evidence: readonly Evidence[]
  /** Whether this part holds. */
  readonly holds: boolean
  /** The first instant at which this changes if no more facts are recorded; null: never. */
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
  /** The first instant at which this changes if no more facts are recorded; null: never. */
  readonly until: string | null
}

export interface WhyProperty {
  /** A JSON pointer, such as /plan or /address/city. */
  readonly property: string
  /** The test of the value. */
  readonly is: ValueTest | InstantTest
  /** The duration for which the test has held without a break. Only with a test of a value. */
  readonly for?: string
  /** The value, if there is one. */
  readonly value?: unknown
  /** Present if the rule compares the value with a time and the value is not a time. */
  readonly not_a_time?: true
  /** Whether this part holds. */
  readonly holds: boolean
  /** The first instant at which this changes if no more facts are recorded; null: never. */
  readonly until: string | null
}
