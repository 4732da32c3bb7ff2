import { keyFormat } from './stored-fact.js'

/** Reads parts of a fact's metadata without its schema, because a thread loads faster without the schemas. */

export const keyMember = 'idempotencyKey'

/**
 * Returns the hash of the fact's idempotency key. Returns undefined when the metadata has no key.
 * Does not check the other members.
 */
export function keyIn(metadata: string): string | undefined {
  // Searches the text first: most facts have no key, and the search costs less than `JSON.parse`. Parses any text with
  // a backslash, because the member's name may be escaped.
  if (!metadata.includes(keyMember) && !metadata.includes('\\')) return undefined
  const parsed = parseJson(metadata)
  if (typeof parsed !== 'object' || parsed === null || !(keyMember in parsed)) return undefined
  const key = parsed[keyMember]
  return typeof key === 'string' && keyFormat.test(key) ? key : undefined
}

/** Returns whether text from `metadataText` has exactly this key, or no key if `key` is undefined. */
export function carriesKey(metadata: string, key: string | undefined): boolean {
  const member = `"${keyMember}":`
  return key === undefined ? !metadata.includes(member) : metadata.includes(`${member}"${key}"`)
}

/** Parses JSON text. Returns undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
