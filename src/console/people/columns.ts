import type { Dictionary, DictionaryProperty } from '../../client/dossier.js'
import { pointerName } from '../parts/pointer.js'

/** The number of default columns, which the table has before the user picks any. */
const usualCount = 3
/** A property becomes a default column only if its count is at least this share of the highest count. */
const usualShare = 0.1
/** The maximum number of properties that the service returns with an entity. */
export const columnsAtMost = 16

/** Returns the pointers of the columns that the address names. Without them, returns the most frequent properties. */
export function columnsIn(
  query: URLSearchParams,
  known: readonly DictionaryProperty[],
): readonly string[] {
  const asked = query.get('columns')
  if (asked === 'none') return []
  if (asked !== null && asked !== '') return asked.split(',').slice(0, columnsAtMost)
  const often = Math.max(0, ...known.map(({ count }) => count)) * usualShare
  return pickable(known.filter(({ count }) => count >= often)).slice(0, usualCount)
}

/**
 * Returns the pointers that can be columns. A pointer with a comma cannot, because a request separates pointers by
 * commas.
 */
export function pickable(known: readonly DictionaryProperty[]): readonly string[] {
  return known
    .filter(({ pointer, types }) => !pointer.includes(',') && types.object === undefined)
    .map(({ pointer }) => pointer)
}

/** Returns the value of `columns` in the address after adding or removing a column. */
export function withColumn(columns: readonly string[], pointer: string, isShown: boolean): string {
  const others = columns.filter((one) => one !== pointer)
  const chosen = isShown ? [...others, pointer] : others
  return chosen.length === 0 ? 'none' : chosen.join(',')
}

/** A property that can be searched: of people, or of the events with one name. */
export interface SearchPlace {
  readonly event?: string
  readonly property: string
}

/** Returns the properties with plain values: properties of people first, then by frequency. */
export function searchPlaces({ properties, events }: Dictionary): readonly SearchPlace[] {
  const ofEvents = events
    .flatMap(({ name, properties: its }) => its.map((one) => ({ name, one })))
    .filter(({ one }) => isPlain(one))
    .sort((a, b) => b.one.count - a.one.count)
  return [
    ...properties.filter(isPlain).map(({ pointer }) => ({ property: pointer })),
    ...ofEvents.map(({ name, one }) => ({ event: name, property: one.pointer })),
  ]
}

function isPlain({ types }: DictionaryProperty): boolean {
  return types.string !== undefined || types.number !== undefined || types.boolean !== undefined
}

/** Returns the name of a place to search: `country`, or `purchase · invoice`. */
export function placeName({ event, property }: SearchPlace): string {
  return event === undefined ? pointerName(property) : `${event} · ${pointerName(property)}`
}
