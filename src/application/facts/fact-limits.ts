/** Bytes of data of all facts of one append (UTF-8). */
export const maxDataBytes = 1_048_576
/** Bytes of metadata of all facts of one append (UTF-8). */
export const maxMetadataBytes = 65_536

/** The key of an append: a SHA-256. */
export const keyFormat = /^[0-9a-f]{64}$/
