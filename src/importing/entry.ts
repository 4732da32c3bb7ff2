import { isUtf8 } from 'node:buffer'
import type { Detail, JsonItem, JsonValue } from '../client/dossier.js'
import type { Line } from './lines.js'

/** The reason why a line is refused, from the service or from this program. */
export interface LineFault {
  readonly code: string
  readonly message: string
  readonly details?: readonly Detail[]
  readonly request_id?: string | undefined
  /** `unknown` when the line may be stored nevertheless. Otherwise absent. */
  readonly stored?: 'unknown'
}

/** The position of an entry in the file. */
export interface Place {
  readonly line: number
  /** Undefined when the text is too long or not UTF-8. */
  readonly text: string | undefined
}

export interface SendableEntry extends Place, JsonItem {
  readonly kind: 'item' | 'message'
}

/** A line of a file, or a row of CSV, as a request. */
export type Entry = SendableEntry | (Place & { readonly kind: 'fault'; readonly fault: LineFault })

/** Converts lines to entries. */
export interface EntryReader {
  /** Returns undefined when the line is blank, or when the entry continues in the next line. */
  take(line: Line): Entry | undefined
  /** Returns the entry that the end of the file leaves unfinished, if there is one. */
  end(): Entry | undefined
}

export const tooLong: LineFault = {
  code: 'line_too_long',
  message: 'It has more than 4 MiB, which is what a request may have.',
}

export const notUtf8: LineFault = {
  code: 'not_utf8',
  message: 'It is not valid UTF-8. Convert the file: iconv -f ISO-8859-1 -t UTF-8, say.',
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
