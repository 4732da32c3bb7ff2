import { isUtf8 } from 'node:buffer'
import type { Detail, JsonItem, JsonValue } from '../client/dossier.js'
import type { Line } from './lines.js'

/** The reason why a line is refused, by the service or by this program. */
export interface LineFault {
  readonly code: string
  readonly message: string
  readonly details?: readonly Detail[]
  readonly request_id?: string | undefined
  /** `unknown` when the line may have been stored. Otherwise absent. */
  readonly stored?: 'unknown'
}

/** The location of an entry in the file. */
export interface Place {
  readonly line: number
  /** The text in the file. Undefined when it is too long or not UTF-8. */
  readonly text: string | undefined
}

export interface SendableEntry extends Place, JsonItem {
  readonly kind: 'item' | 'message'
}

/** A line of a file, or a row of CSV: either a request to send, or a fault. */
export type Entry = SendableEntry | (Place & { readonly kind: 'fault'; readonly fault: LineFault })

/** Converts lines to entries. */
export interface EntryReader {
  /**
   * Returns the entry that ends with this line. Undefined when the line is blank, or when the entry continues in
   * the next line.
   */
  take(line: Line): Entry | undefined
  /** Returns the unfinished entry at the end of the file, if there is one. */
  end(): Entry | undefined
}

export const tooLong: LineFault = {
  code: 'line_too_long',
  message: 'It is larger than 4 MiB, the largest request.',
}

export const notUtf8: LineFault = {
  code: 'not_utf8',
  message:
    'It is not valid UTF-8. Convert the file, for example with: iconv -f ISO-8859-1 -t UTF-8.',
}

export function faultEntry(place: Place, fault: LineFault): Entry {
  return { ...place, kind: 'fault', fault }
}

/** Decodes UTF-8. Returns undefined for other bytes. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

export type JsonObject = Record<string, JsonValue>

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
