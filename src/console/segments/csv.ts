import type { Member, Properties } from '../../client/dossier.js'

/** Matches the beginning of a text that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

/**
 * Returns a cell in the format of RFC 4180. Puts an apostrophe before a text that a spreadsheet would run as a formula.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = typeof value === 'string' && formula.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** The byte order mark, by which a spreadsheet knows that the file is UTF-8. */
export const utf8Mark = '\ufeff'

/** Returns the first line of a file of members. */
export function csvHead(pointers: readonly string[]): string {
  return `${utf8Mark}${csvLine(['external_id', 'entity_id', 'since', ...pointers])}`
}

/** Returns the lines of some members. `pointers` names the properties that are columns. */
export function csvOf(members: readonly Member[], pointers: readonly string[]): string {
  return members
    .map(({ external_id: id, entity_id: entity, since, properties = {} }) =>
      csvLine([id, entity, since, ...pointers.map((pointer) => valueAt(properties, pointer))]),
    )
    .join('')
}

function valueAt(properties: Properties, pointer: string): unknown {
  return Object.hasOwn(properties, pointer) ? properties[pointer] : undefined
}
