/** Bytes of data of all facts of one append (UTF-8). */
export const mostDataBytes = 1_048_576
/** Bytes of metadata of all facts of one append (UTF-8). */
export const mostMetadataBytes = 65_536

/** The key of an append: a SHA-256. */
export const keyForm = /^[0-9a-f]{64}$/
