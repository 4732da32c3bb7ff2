/** A fact in its stored form: texts that the store does not interpret. */
export interface StoredFact {
  /** A UUID. The generator of ids makes it unique. Stores do not check whether it is unique. */
  readonly id: string
  readonly type: string
  /** The JSON text of an object. */
  readonly data: string
  /** The JSON text of an object. In an append with an idempotency key, its member `idempotencyKey` is that key. */
  readonly metadata: string
}

/**
 * The maximum number of bytes of all facts in one append, as `sizeOf` counts them. Every version of
 * EventStoreDB accepts this size with its default settings. Versions up to 24.10.3 count only the
 * data, and version 25.1 accepts more.
 */
export const maxAppendBytes = 1_048_576
/** The maximum number of bytes (UTF-8) of metadata of all facts in one append. */
export const maxMetadataBytes = 65_536

/** Returns the bytes of a fact as EventStoreDB counts them: the type in UTF-16, and data and metadata in UTF-8. */
export function sizeOf({ type, data, metadata }: StoredFact): number {
  return 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata)
}

/** The format of the idempotency key of an append: a SHA-256 in hex. */
export const keyFormat = /^[0-9a-f]{64}$/

/** Thrown for a fact of a known type whose text does not match the schema of its version. */
export class UnreadableFact extends Error {
  readonly code = 'unreadable_fact'
  override readonly name = 'UnreadableFact'
}

/**
 * Thrown for a fact of a known type in a newer schema version than this program knows. The fact was
 * not applied.
 */
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
        'update the program and restart it: it continues with this fact',
    )
  }
}

/** Returns whether the error means that a fact cannot be read. A retry or a rebuild would fail in the same way. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableFact || error instanceof NewerSchemaVersion
}
