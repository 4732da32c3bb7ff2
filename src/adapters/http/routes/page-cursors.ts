import type { ReadWant } from '../../../application/reading/want.js'
import { cursorText, readCursor, type CursorPlace, type CursorScope } from '../requests/cursor.js'

/**
 * The cursors of one list. Each begins with the position that its page knew: the next page knows as much,
 * whichever replica gets the request, so that nothing is skipped.
 */
export class PageCursors<Place extends CursorPlace = readonly number[]> {
  /** `scope`: the parameters of the list, but for `limit`. */
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
