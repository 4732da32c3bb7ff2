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

/** Bytes of data of all facts of one append (UTF-8). */
export const maxDataBytes = 1_048_576
/** Bytes of metadata of all facts of one append (UTF-8). */
export const maxMetadataBytes = 65_536

/** The key of an append: a SHA-256. */
export const keyFormat = /^[0-9a-f]{64}$/
