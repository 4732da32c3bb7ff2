import { notUtf8, textOf, tooLong, type LineFault } from './entry.js'
import { maxLineBytes, type Line } from './lines.js'

/** A row, or what is wrong with it. */
export interface CsvRow {
  /** The line in which it begins. */
  readonly line: number
  /** As it stands in the file; undefined where it is too long, or not UTF-8. */
  readonly text: string | undefined
  /** Null: nothing between two commas, not even quotation marks. */
  readonly fields: readonly (string | null)[]
  readonly fault: LineFault | undefined
}

const loneQuote: LineFault = {
  code: 'malformed_csv',
  message:
    'A quotation mark stands inside a field. Quote the whole field, and double the marks in it.',
}
const unclosed: LineFault = {
  code: 'malformed_csv',
  message: 'A quotation mark opens a field here, and none closes it: the file may be cut.',
}

/**
 * Rows of CSV as RFC 4180 has them, line by line. A row with a fault ends where a lenient reader would end
 * it, so that no part of it is taken for a row of its own.
 */
export class CsvRows {
  private row = new RowBegun(0)

  /** Undefined: the row goes on in the next line. */
  take(line: Line): CsvRow | undefined {
    if (this.row.line === 0) this.row = new RowBegun(line.number)
    this.row.add(line)
    if (this.row.isInQuotes) return undefined
    return this.finished()
  }

  /** The row that the file's end cuts off. */
  end(): CsvRow | undefined {
    if (this.row.line === 0) return undefined
    this.row.fault ??= unclosed
    return this.finished()
  }

  private finished(): CsvRow {
    const { line, lines, fields, fault } = this.row
    const hasText = fault !== tooLong && fault !== notUtf8
    this.row = new RowBegun(0)
    return { line, text: hasText ? lines.join('\n') : undefined, fields, fault }
  }
}

class RowBegun {
  readonly lines: string[] = []
  fields: (string | null)[] = []
  fault: LineFault | undefined
  isInQuotes = false
  /** What the field under way has so far. */
  private value = ''
  private bytes = 0

  constructor(readonly line: number) {}

  add(line: Line): void {
    this.bytes += line.bytes.length + 1
    if (line.isTooLong || this.bytes > maxLineBytes) {
      this.fault = tooLong
      if (line.isTooLong && line.hasOddQuotes) this.isInQuotes = !this.isInQuotes
    }
    if (!line.isTooLong) this.read(line.bytes)
    if (this.fault === undefined) return
    // Only where it ends is still of interest.
    this.fields = []
    this.value = ''
    if (this.fault !== loneQuote) this.lines.length = 0
  }

  private read(bytes: Buffer): void {
    const text = textOf(bytes)
    if (text === undefined) this.fault ??= notUtf8
    // The marks and commas are the same in a text of another encoding.
    const read = text ?? bytes.toString('latin1')
    this.lines.push(read)
    for (let at = 0; at <= read.length;) {
      at = this.isInQuotes ? this.quoted(read, at) : this.field(read, at)
    }
  }

  /** From the begin of a field. All of these return where to go on; behind the text: the line is done. */
  private field(text: string, from: number): number {
    if (text[from] === '"') {
      this.isInQuotes = true
      return this.quoted(text, from + 1)
    }
    const comma = text.indexOf(',', from)
    const value = withoutReturn(text, from, comma)
    if (value.includes('"')) this.fault ??= loneQuote
    this.fields.push(value === '' ? null : value)
    return after(comma, text)
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
    const comma = text.indexOf(',', quote)
    if (withoutReturn(text, quote + 1, comma) !== '') this.fault ??= loneQuote
    this.fields.push(this.value)
    this.value = ''
    return after(comma, text)
  }

  /** Behind a doubled mark the line may end, and the field go on. */
  private quotedAgain(text: string, from: number): number {
    if (from < text.length) return from
    this.value += '\n'
    return text.length + 1
  }
}

function withoutReturn(text: string, from: number, comma: number): string {
  if (comma >= 0) return text.slice(from, comma)
  return text.endsWith('\r') ? text.slice(from, -1) : text.slice(from)
}

function after(comma: number, text: string): number {
  return comma < 0 ? text.length + 1 : comma + 1
}
