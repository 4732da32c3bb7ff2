import type { Member, Properties } from '../../client/dossier.js'

/** The beginnings of texts that a spreadsheet would run as formulas. */
const formula = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

/** A cell of RFC 4180; a text that a spreadsheet would run begins with an apostrophe. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = typeof value === 'string' && formula.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Says to a spreadsheet that the file is UTF-8. */
export const utf8Mark = '\ufeff'

/** The first line of a file of members. */
export function csvHead(pointers: readonly string[]): string {
  return `${utf8Mark}${csvLine(['external_id', 'entity_id', 'since', ...pointers])}`
}

/** The lines of some members. `pointers`: of the properties that were asked for. */
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
