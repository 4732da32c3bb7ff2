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
 * Bytes of all facts of one append, by `sizeOf`. Every version of EventStoreDB takes as much by default:
 * up to 24.10.3 it counts the data alone, and since 25.1 it takes more.
 */
export const maxAppendBytes = 1_048_576
/** Bytes of metadata of all facts of one append (UTF-8). */
export const maxMetadataBytes = 65_536

/** Bytes of a fact as EventStoreDB counts them: two for each UTF-16 unit of the type, and UTF-8. */
export function sizeOf({ type, data, metadata }: StoredFact): number {
  return 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata)
}

/** The key of an append: a SHA-256. */
export const keyFormat = /^[0-9a-f]{64}$/

/** A stored fact of a known type whose text no version of this program has written. */
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
