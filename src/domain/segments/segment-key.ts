/** What a segment is called: fit for URLs, and for the names of streams. */
export const segmentKeyFormat = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The last part of a path of the HTTP API: no segment is called so. */
const reserved = 'evaluate'

export function isSegmentKey(text: string): boolean {
  return segmentKeyFormat.test(text) && text !== reserved
}

/** What is said of a key that is none. */
export const segmentKeyMessage =
  'must be 1 to 64 characters of a–z 0–9 _ -, must begin with a letter or a digit, and not be "evaluate"'
