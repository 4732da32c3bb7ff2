import { notUtf8, textOf, tooLong, type LineFault } from './entry.js'
import { maxLineBytes, type Line } from './lines.js'

/** A row of CSV, with a fault if it is invalid. */
export interface CsvRow {
  /** The number of the line in which the row begins. */
  readonly line: number
  /** The row as it is in the file. Undefined when it is too long or not UTF-8. */
  readonly text: string | undefined
  /** The values of the fields. Null for an empty field without quotation marks. */
  readonly fields: readonly (string | null)[]
  readonly fault: LineFault | undefined
}

const loneQuote: LineFault = {
  code: 'malformed_csv',
  message: 'A field contains a quotation mark. Quote the whole field, and double the marks in it.',
}
const unclosed: LineFault = {
  code: 'malformed_csv',
  message: 'A quotation mark opens a field here, and none closes it. The file may be truncated.',
}

const loneReturn: LineFault = {
  code: 'malformed_csv',
  message: 'A field contains a carriage return. Quote the whole field.',
}
const nulByte: LineFault = {
  code: 'malformed_csv',
  message: 'It contains a NUL byte. Export the table as CSV in UTF-8 again.',
}

export type Separator = ',' | ';' | '\t'

/**
 * Reads rows of CSV (RFC 4180) line by line, with any separator. An invalid row ends where a lenient reader would end
 * the row. So no part of an invalid row is read as another row.
 */
export class CsvRows {
  private row: PartialRow

  constructor(private readonly separator: Separator) {
    this.row = new PartialRow(0, separator)
  }

  /** Returns the row that ends with this line. Undefined when the row continues in the next line. */
  take(line: Line): CsvRow | undefined {
    if (this.row.line === 0) this.row = new PartialRow(line.number, this.separator)
    this.row.add(line)
    if (this.row.isInQuotes) return undefined
    return this.finished()
  }

  /** Returns the unfinished row at the end of the file, if there is one. */
  end(): CsvRow | undefined {
    if (this.row.line === 0) return undefined
    this.row.fault ??= unclosed
    return this.finished()
  }

  private finished(): CsvRow {
    const { line, lines, fields, fault } = this.row
    this.row = new PartialRow(0, this.separator)
    return { line, text: hasText(fault) ? lines.join('\n') : undefined, fields, fault }
  }
}

class PartialRow {
  readonly lines: string[] = []
  fields: (string | null)[] = []
  fault: LineFault | undefined
  isInQuotes = false
  /** The value of the current field, as far as it was read. */
  private value = ''
  private bytes = 0

  constructor(
    readonly line: number,
    private readonly separator: Separator,
  ) {}

  add(line: Line): void {
    this.bytes += line.bytes.length + 1
    if (line.isTooLong || this.bytes > maxLineBytes) {
      this.fault = tooLong
      if (line.isTooLong && line.hasOddQuotes) this.isInQuotes = !this.isInQuotes
    }
    if (!line.isTooLong) this.read(line.bytes)
    if (this.fault === undefined) return
    // Drops the fields of an invalid row. Only the end of the row is still searched for.
    this.fields = []
    this.value = ''
    if (!hasText(this.fault)) this.lines.length = 0
  }

  private read(bytes: Buffer): void {
    const text = textOf(bytes)
    if (text === undefined) this.fault ??= notUtf8
    else if (text.includes('\0')) this.fault ??= nulByte
    // Bytes that are not UTF-8 are read as Latin-1. Quotation marks and separators have equal bytes in most other
    // encodings, so the end of the row can still be found.
    const read = text ?? bytes.toString('latin1')
    this.lines.push(read)
    for (let at = 0; at <= read.length;) {
      at = this.isInQuotes ? this.quoted(read, at) : this.field(read, at)
    }
  }

  /**
   * Reads a field from its beginning. Returns the index at which to continue. An index after the end of the text
   * means that the line is finished.
   */
  private field(text: string, from: number): number {
    if (text[from] === '"') {
      this.isInQuotes = true
      return this.quoted(text, from + 1)
    }
    const end = text.indexOf(this.separator, from)
    const value = withoutReturn(text, from, end)
    if (value.includes('"')) this.fault ??= loneQuote
    else if (value.includes('\r')) this.fault ??= loneReturn
    this.fields.push(value === '' ? null : value)
    return after(end, text)
  }

  private quoted(text: string, from: number): number {
    const quote = text.indexOf('"', from)
    if (quote < 0) {
      this.value += `${text.slice(from)}\n`
      return text.length + 1
    }
    this.value += text.slice(from, quote)
    if (text[quote + 1] === '"') {
      this.value += '"'
      return this.quotedAgain(text, quote + 2)
    }
    this.isInQuotes = false
    const end = text.indexOf(this.separator, quote)
    if (withoutReturn(text, quote + 1, end) !== '') this.fault ??= loneQuote
    this.fields.push(this.value)
    this.value = ''
    return after(end, text)
  }

  /** Continues after a doubled quotation mark. The line may end there while the field continues. */
  private quotedAgain(text: string, from: number): number {
    if (from < text.length) return from
    this.value += '\n'
    return text.length + 1
  }
}

/** Returns whether the text of a row with this fault can be kept: it is short enough and valid UTF-8. */
function hasText(fault: LineFault | undefined): boolean {
  return fault !== tooLong && fault !== notUtf8
}

function withoutReturn(text: string, from: number, end: number): string {
  if (end >= 0) return text.slice(from, end)
  return text.endsWith('\r') ? text.slice(from, -1) : text.slice(from)
}

function after(end: number, text: string): number {
  return end < 0 ? text.length + 1 : end + 1
}
