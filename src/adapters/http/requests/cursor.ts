import { hash } from 'node:crypto'
import { refused } from './query.js'

/**
 * Cursors: places in a list, as opaque text. A cursor holds whole numbers and a checksum of them and of
 * what they belong to: no secret and nothing of the process, so that each replica reads it, also after a
 * restart.
 */

/** The parameters of a list, `limit` left out: another list's cursor is refused. */
export type CursorScope = readonly (string | number | null)[]

const checksumDigits = 16

export function cursorText(scope: CursorScope, place: readonly number[]): string {
  const numbers = place.join(',')
  return Buffer.from(`${checksum(scope, numbers)}${numbers}`).toString('base64url')
}

/** The numbers of a cursor of this scope. Throws `malformed_request`. */
export function readCursor(scope: CursorScope, text: string): readonly number[] {
  const bytes = Buffer.from(text, 'base64url')
  const content = bytes.toString('latin1')
  const numbers = content.slice(checksumDigits)
  // `from` passes over what is not of the alphabet: only what it gives back was sent.
  const isWhole = bytes.toString('base64url') === text
  if (!isWhole || content.slice(0, checksumDigits) !== checksum(scope, numbers)) {
    throw refused('cursor', 'must be a next_cursor of the same request, but for limit')
  }
  return numbers.split(',').map(Number)
}

function checksum(scope: CursorScope, numbers: string): string {
  return hash('sha256', JSON.stringify([scope, numbers])).slice(0, checksumDigits)
}
