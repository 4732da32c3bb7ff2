import type { Dictionary, DictionaryProperty } from '../../client/dossier.js'
import { pointerName } from '../parts/pointer.js'

/** Columns that the table has before the user picks others. */
const usualCount = 3
/** … of the people who have the most frequent property. */
const usualShare = 0.1
/** The service returns at most this many properties with an entity. */
export const columnsAtMost = 16

/** The pointers of the columns that an address asks for, or the most frequent properties. */
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

/** The pointers that can be a column: a comma separates pointers in a request. */
export function pickable(known: readonly DictionaryProperty[]): readonly string[] {
  return known
    .filter(({ pointer, types }) => !pointer.includes(',') && types.object === undefined)
    .map(({ pointer }) => pointer)
}

/** The value of `columns` in the address after a column was put in or taken out. */
export function withColumn(columns: readonly string[], pointer: string, isShown: boolean): string {
  const others = columns.filter((one) => one !== pointer)
  const chosen = isShown ? [...others, pointer] : others
  return chosen.length === 0 ? 'none' : chosen.join(',')
}

/** A property that a search can look for: of people, or of events with a name. */
export interface SearchPlace {
  readonly event?: string
  readonly property: string
}

/** Properties with plain values: properties of people first, then by frequency. */
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

/** `country`, or `purchase · invoice`. */
export function placeName({ event, property }: SearchPlace): string {
  return event === undefined ? pointerName(property) : `${event} · ${pointerName(property)}`
}
