/** A fact as a store keeps it: text that the store carries and does not understand. */
export interface StoredFact {
  /** UUID. Unique by construction; a store promises nothing about a repeated one. */
  readonly id: string
  readonly type: string
  /** JSON text of an object. */
  readonly data: string
  /** JSON text of an object; of a keyed append, its member `idempotencyKey` is the append's key. */
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

/** A stored fact of ours whose text is not what this version, or any before it, has written. */
export class UnreadableFact extends Error {
  readonly code = 'unreadable_fact'
  override readonly name = 'UnreadableFact'
}

/** A fact of a type of ours in a version that came after this program. Nothing was made of it. */
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

/** Neither another attempt nor another read model can read it. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableFact || error instanceof NewerSchemaVersion
}
