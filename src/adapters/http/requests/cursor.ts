import { hash } from 'node:crypto'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { Answer } from '../../../application/reading/ports/read-model.js'
import { queryFault } from './query.js'
import type { ReadWant } from '../../../application/reading/want.js'

/**
 * Cursors of lists, as opaque text. A cursor encodes the last item of a page and a checksum. The
 * checksum covers that item and the parameters of the list. A cursor depends on no secret and no
 * process, so every replica can read it, even after a restart.
 */

/** Identifies the list that a cursor belongs to: its name, and its parameters except `limit`. */
type CursorScope = readonly (string | number | null)[]

const checksumDigits = 16

type CursorPlace = readonly (number | string)[]

export function cursorText(scope: CursorScope, place: CursorPlace): string {
  const values = JSON.stringify(place).slice(1, -1)
  return Buffer.from(`${checksum(scope, values)}${values}`).toString('base64url')
}

/** Decodes a cursor of this list. Throws `malformed_request` for other texts. */
export function readCursor(scope: CursorScope, text: string): CursorPlace {
  const bytes = Buffer.from(text, 'base64url')
  const content = bytes.toString()
  const values = content.slice(checksumDigits)
  // `Buffer.from` silently skips invalid characters.
  const isClean = bytes.toString('base64url') === text
  if (!isClean || content.slice(0, checksumDigits) !== checksum(scope, values)) {
    const message = 'must be a next_cursor of the same request; only limit may differ'
    throw queryFault('cursor', 'bad_characters', message)
  }
  // The cast is safe: the checksum matches, so `cursorText` made this text.
  return JSON.parse(`[${values}]`) as CursorPlace
}

function checksum(scope: CursorScope, values: string): string {
  return hash('sha256', JSON.stringify([scope, values])).slice(0, checksumDigits)
}

type Cursor = number | string | { readonly at: number; readonly position: number }

/** A request for one page of a list. */
export interface PagedRequest {
  readonly query: { readonly cursor?: string | undefined; readonly limit: number }
  readonly want: ReadWant
}

/**
 * Reads the page that the query asks for, and adds the cursor of the next page. A cursor contains
 * the position of the read model at its page, and the request for the next page waits for this
 * position. Throws `malformed_request`, and the errors of `read`.
 */
export async function readPage<C extends Cursor, Value extends { readonly next: C | undefined }>(
  scope: CursorScope,
  { query: { cursor: text, limit }, want }: PagedRequest,
  read: (page: PageQuery<C>, want: ReadWant) => Promise<Answer<Value>>,
) {
  const [applied, first, second] = text === undefined ? [0] : readCursor(scope, text)
  const position = Math.max(Number(applied), want.position ?? 0)
  // The cast is safe: the checksum matches, so the cursor belongs to this list.
  const after = (second === undefined ? first : { at: first, position: second }) as C | undefined
  const wanted = text === undefined ? want : { ...want, position }
  const answer = await read({ after, limit }, wanted)
  const { next } = answer.value
  const next_cursor =
    next === undefined ? null : cursorText(scope, [answer.position, ...placeOf(next)])
  return { ...answer, next_cursor }
}

function placeOf(next: Cursor): CursorPlace {
  return typeof next === 'object' ? [next.at, next.position] : [next]
}
