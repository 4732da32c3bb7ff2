import { isUtf8 } from 'node:buffer'
import type { Detail, JsonItem, JsonValue } from '../client/dossier.js'
import type { Line } from './lines.js'

/** Why a line is refused: as the service says it, or as this program does. */
export interface LineFault {
  readonly code: string
  readonly message: string
  readonly details?: readonly Detail[]
  readonly request_id?: string | undefined
  /** There, and `unknown`, where the line may be stored all the same. */
  readonly stored?: 'unknown'
}

/** Where in the file it is. */
export interface Place {
  readonly line: number
  /** Undefined where it is too long, or not UTF-8. */
  readonly text: string | undefined
}

export interface SendableEntry extends Place, JsonItem {
  readonly kind: 'item' | 'message'
}

/** One line of a file, or row of CSV, and what it asks for. */
export type Entry = SendableEntry | (Place & { readonly kind: 'fault'; readonly fault: LineFault })

/** Makes entries of lines. */
export interface EntryReader {
  /** Undefined: nothing is in it, or more lines belong to it. */
  take(line: Line): Entry | undefined
  /** What the end of the file leaves unfinished. */
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

/** Undefined where it is not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

export type JsonObject = Record<string, JsonValue>

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
