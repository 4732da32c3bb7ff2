import type { BatchItem, Detail, JsonValue } from '../client/dossier.js'
import { CsvRows, type CsvRow, type Separator } from './csv-rows.js'
import { faultEntry, type Entry, type EntryReader, type JsonObject } from './entry.js'
import { ImportStopped } from './import-stopped.js'
import { strictTimeOf } from './json-lines.js'
import type { Line } from './lines.js'

type ColumnType = 'text' | 'number' | 'boolean' | 'time'

interface Column {
  readonly name: string
  readonly type: ColumnType
}

const idColumn = 'external_id'
/**
 * The name of the column with the own time of each row. A column of this name with another type than `time` is a
 * property.
 */
const timeColumn = 'occurred_at'

/**
 * Reads CSV. Each row creates or changes an entity, and the first row names the columns. The column `occurred_at:time`
 * has the time of the creation or change; an empty field means now. Detects the separator: with the right separator,
 * the first line has a column `external_id`.
 */
export class CsvEntities implements EntryReader {
  private rows: CsvRows | undefined
  private columns: readonly Column[] | undefined

  /** `name` is the file's name in messages. `key` is the prefix of idempotency keys. */
  constructor(
    private readonly name: string,
    private readonly key: string,
  ) {}

  /**
   * Returns the entry that ends with this line. Throws `ImportStopped` when the first row is not a valid header.
   */
  take(line: Line): Entry | undefined {
    this.rows ??= new CsvRows(separatorIn(line))
    return this.entryOf(this.rows.take(line))
  }

  end(): Entry | undefined {
    return this.entryOf(this.rows?.end())
  }

  private entryOf(row: CsvRow | undefined): Entry | undefined {
    if (row === undefined || isBlank(row)) return undefined
    const { line, text, fields, fault } = row
    if (this.columns === undefined) {
      this.columns = this.columnsIn(row)
      return undefined
    }
    if (fault !== undefined) return faultEntry({ line, text }, fault)
    if (fields.length !== this.columns.length) {
      const message = `It has ${String(fields.length)} fields, the header ${String(this.columns.length)}.`
      return faultEntry({ line, text }, { code: 'malformed_csv', message })
    }
    const read = readRow(this.columns, fields)
    if (read.details.length > 0) {
      const message = 'Some values do not have the type that the header gives their column.'
      const { details } = read
      return faultEntry({ line, text }, { code: 'validation_failed', message, details })
    }
    const item: BatchItem = {
      op: 'update_entity',
      external_id: read.externalId,
      upsert: true,
      set: read.set,
      ...(read.occurredAt === undefined ? {} : { occurred_at: read.occurredAt }),
      idempotency_key: `${this.key}-${String(line)}`,
    }
    return { line, text, kind: 'item', json: JSON.stringify(item), entity: read.externalId }
  }

  private columnsIn({ line, fields, fault }: CsvRow): readonly Column[] {
    const where = `${this.name}: line ${String(line)}`
    if (fault !== undefined) throw new ImportStopped(`${where}: ${fault.message}`)
    if (!fields.some(isIdColumn)) {
      throw new ImportStopped(
        `${where} is neither a JSON object nor a header with a column ${idColumn}. Name the column of ids ` +
          `${idColumn}, and put commas, semicolons or tabs between the columns.`,
      )
    }
    const columns = fields.map((field) => columnOf(field ?? '', where))
    const names = columns.map(({ name, type }) => (type === 'time' ? `${name}:time` : name))
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) throw new ImportStopped(`${where} names ${twice} twice`)
    return columns
  }
}

function isBlank({ fields, fault }: CsvRow): boolean {
  return fault === undefined && fields.length === 1 && fields[0] === null
}

const separators: readonly Separator[] = [',', ';', '\t']

function separatorIn(header: Line): Separator {
  const isRight = (separator: Separator) => {
    const rows = new CsvRows(separator)
    const row = rows.take(header) ?? rows.end()
    return row?.fields.some(isIdColumn)
  }
  return separators.find(isRight) ?? ','
}

/**
 * Matches characters that a column name must not contain. Line ends are allowed inside quotation marks. Other line
 * separators are not allowed: they would put a whole table into the header.
 */
const forbiddenInName = /[^\P{Cc}\r\n]|[\u2028\u2029]/u

function isIdColumn(field: string | null): boolean {
  return nameIn(field ?? '').trim() === idColumn
}

/** Returns the part of a header field before the last colon. The part after it is the column's type. */
function nameIn(field: string): string {
  const colon = field.lastIndexOf(':')
  return colon < 0 ? field : field.slice(0, colon)
}

function columnOf(field: string, where: string): Column {
  const name = nameIn(field)
  const type = name === field ? 'text' : field.slice(name.length + 1)
  checkName(name, field, where)
  if (name === timeColumn && type === 'time') return { name, type }
  if (type !== 'text' && type !== 'number' && type !== 'boolean') {
    const types =
      `number, boolean, text; ${timeColumn}:time is the time of the row; a name with a colon is written ` +
      `"${field}:text"`
    throw new ImportStopped(`${where} has the column "${field}", whose type is not one of ${types}`)
  }
  if (name === idColumn && type !== 'text') throw new ImportStopped(`${where}: ${name} is text`)
  return { name, type }
}

/** Throws `ImportStopped` for an invalid column name. */
function checkName(name: string, field: string, where: string): void {
  if (name === '' || name === '__proto__') {
    throw new ImportStopped(`${where} has a column whose name is "${name}"`)
  }
  const column = `${where} has the column ${JSON.stringify(field.slice(0, 100))}`
  if (forbiddenInName.test(name)) {
    const fault = 'it contains a control character or a line separator'
    throw new ImportStopped(`${column}: ${fault}. Write one row per line.`)
  }
  if (name === name.trim() && field === field.trim()) return
  const advice = 'remove the spaces around it, also in the rows'
  throw new ImportStopped(`${column}: ${advice}. A space is a part of a name or value.`)
}

/** Reads the values of a row. An empty field without quotation marks leaves the property unchanged. */
function readRow(columns: readonly Column[], fields: readonly (string | null)[]) {
  const set: JsonObject = {}
  const details: Detail[] = []
  let externalId = ''
  let occurredAt: string | undefined
  for (const [at, { name, type }] of columns.entries()) {
    const field = fields[at] ?? null
    if (name === idColumn) externalId = field ?? ''
    else if (type === 'time') occurredAt = timeIn(field)
    else if (field !== null) {
      const value = valueOf(field, type)
      if (value === undefined) details.push(notOfType(name, type))
      else set[name] = value
    }
  }
  return { externalId, occurredAt, set, details }
}

/** Returns the time in a field. Converts a readable time to a form that `/batch` accepts. */
function timeIn(field: string | null): string | undefined {
  return field === null ? undefined : (strictTimeOf(field) ?? field)
}

const numberForm = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

function valueOf(field: string, type: ColumnType): JsonValue | undefined {
  if (type === 'text') return field
  if (type === 'number') {
    const value = numberForm.test(field) ? Number(field) : Infinity
    return Number.isFinite(value) ? value : undefined
  }
  const word = field.toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}

function notOfType(name: string, type: ColumnType): Detail {
  const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return {
    path,
    code: 'wrong_type',
    message: type === 'number' ? 'is not a number' : 'is not true or false',
  }
}
