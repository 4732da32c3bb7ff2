/** A fact as a store keeps it: text that the store does not interpret. */
export interface StoredFact {
  /** A UUID, unique by construction. Stores do not check that. */
  readonly id: string
  readonly type: string
  /** JSON text of an object. */
  readonly data: string
  /** JSON text of an object. In an append with a key, the member `idempotencyKey` is the key. */
  readonly metadata: string
}

/**
 * The most bytes that all facts of one append may have, as `sizeOf` counts them. Every version of EventStoreDB
 * accepts this size by default. Versions up to 24.10.3 count only the data, and 25.1 accepts more.
 */
export const maxAppendBytes = 1_048_576
/** The most bytes (UTF-8) that the metadata of all facts of one append may have. */
export const maxMetadataBytes = 65_536

/** Returns the bytes of a fact as EventStoreDB counts them: the type in UTF-16, data and metadata in UTF-8. */
export function sizeOf({ type, data, metadata }: StoredFact): number {
  return 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata)
}

/** The format of an append's idempotency key: a SHA-256 in hex. */
export const keyFormat = /^[0-9a-f]{64}$/

/** A stored fact of a known type whose text does not match any schema version of the type. */
export class UnreadableFact extends Error {
  readonly code = 'unreadable_fact'
  override readonly name = 'UnreadableFact'
}

/** A fact of a known type in a schema version that is newer than this program. The fact was not applied. */
export class NewerSchemaVersion extends Error {
  readonly code = 'newer_schema_version'
  override readonly name = 'NewerSchemaVersion'

  constructor(
    where: string,
    readonly version: number,
    readonly supported: number,
  ) {
    super(
      `${where} has schema version ${String(version)}, this program reads up to ${String(supported)}; ` +
        'update it and start it again: it goes on from here',
    )
  }
}

/** Whether a fact cannot be read, so that neither a retry nor a rebuild helps. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableFact || error instanceof NewerSchemaVersion
}
