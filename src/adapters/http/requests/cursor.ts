import { hash } from 'node:crypto'
import { refused } from './query.js'
import type { ReadWant } from '../../../application/reading/want.js'

/**
 * Cursors: places in a list, as opaque text. A cursor holds numbers and texts and a checksum of them and of
 * what they belong to: no secret and nothing of the process, so that each replica reads it, also after a
 * restart.
 */

/** The parameters of a list, `limit` left out: another list's cursor is refused. */
export type CursorScope = readonly (string | number | null)[]

const checksumDigits = 16

type CursorPlace = readonly (number | string)[]

export function cursorText(scope: CursorScope, place: CursorPlace): string {
  const values = JSON.stringify(place).slice(1, -1)
  return Buffer.from(`${checksum(scope, values)}${values}`).toString('base64url')
}

/** What a cursor of this scope was made of. Throws `malformed_request`. */
export function readCursor(scope: CursorScope, text: string): CursorPlace {
  const bytes = Buffer.from(text, 'base64url')
  const content = bytes.toString()
  const values = content.slice(checksumDigits)
  // `from` passes over what is not of the alphabet: only what it gives back was sent.
  const isWhole = bytes.toString('base64url') === text
  if (!isWhole || content.slice(0, checksumDigits) !== checksum(scope, values)) {
    throw refused('cursor', 'must be a next_cursor of the same request, but for limit')
  }
  // By its checksum it was made of a place.
  return JSON.parse(`[${values}]`) as CursorPlace
}

function checksum(scope: CursorScope, values: string): string {
  return hash('sha256', JSON.stringify([scope, values])).slice(0, checksumDigits)
}

/** The cursors of one list: each has the position that its page knew, and the next knows it too. */
export class PageCursors<Place extends CursorPlace = readonly number[]> {
  constructor(private readonly scope: CursorScope) {}

  /** Where the page begins, and what is wanted of it. Throws `malformed_request`. */
  read(text: string | undefined, want: ReadWant) {
    if (text === undefined) return { place: undefined, want }
    // By its checksum the cursor was made of a place of this list.
    const [applied, ...place] = readCursor(this.scope, text) as readonly [number, ...Place]
    return { place, want: { ...want, position: Math.max(applied, want.position ?? 0) } }
  }

  /** `place`: where the next page begins; undefined at the end. `applied`: of this page. */
  next(place: Place | undefined, applied: number): string | null {
    return place === undefined ? null : cursorText(this.scope, [applied, ...place])
  }
}
