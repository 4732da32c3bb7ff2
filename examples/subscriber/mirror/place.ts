import type { Position } from 'dossier/subscription'

/**
 * A place in the log. Over HTTP it is the one number that EventStoreDB calls the commit position; facts
 * are stored so that their prepare position is the same.
 */
export interface Place extends Position {
  /** How the id of the fact there begins, where that is known: the feed compares it. */
  readonly idBegins?: string | undefined
}

/** `text`: as a `Position` header or a fact of the feed has it. */
export function placeAt(text: string, factId?: string): Place {
  const position = BigInt(text)
  return { commit: position, prepare: position, idBegins: factId?.slice(0, 8).toLowerCase() }
}

/** What the feed calls a cursor: `123.0a1b2c3d`, or a position alone. */
export function placeOfCursor(cursor: string): Place {
  const [position = '', idBegins] = cursor.split('.')
  return placeAt(position, idBegins)
}

export function cursorOf({ commit, idBegins }: Place): string {
  return idBegins === undefined ? String(commit) : `${String(commit)}.${idBegins}`
}
