/** The most bytes of a line or a row of CSV. A longer line would not fit into a request body of 4 MiB. */
export const maxLineBytes = 4_190_000

export interface Line {
  /** The number of the line, counted from 1. */
  readonly number: number
  /** The line without its line feed. Empty when the line is too long. */
  readonly bytes: Buffer
  readonly isTooLong: boolean
  /** Whether the line has an odd number of quotation marks. Set only for a line that is too long. */
  readonly hasOddQuotes: boolean
}

const lineFeed = 0x0a
const quote = 0x22

/**
 * Splits text into lines. Memory holds at most one piece and one line. If the first row ends with a lone carriage
 * return, carriage returns end all lines. Otherwise only line feeds end lines.
 */
export class Lines {
  /** Whether carriage returns end lines. Undefined until the end of the first row. */
  private endsWithReturn: boolean | undefined
  /** Whether quotation marks can enclose line ends, as in CSV. Undefined before the first character. */
  private hasQuotedLineEnds: boolean | undefined
  private isInQuotes = false
  /** Whether the previous piece ended with a carriage return. A line feed may follow in the next piece. */
  private hasReturnBefore = false
  private number = 0
  private parts: Buffer[] = []
  private size = 0
  private hasOddQuotes = false

  /** Returns the lines that end in this piece. */
  take(given: Buffer): readonly Line[] {
    const piece = this.endsWithReturn === false ? given : this.withLineFeeds(given)
    const lines: Line[] = []
    let from = 0
    for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, from)) {
      lines.push(this.ended(piece.subarray(from, at)))
      from = at + 1
    }
    if (from < piece.length) this.add(piece.subarray(from))
    return lines
  }

  /** Returns the last line if no line feed ends it. */
  end(): readonly Line[] {
    return this.size === 0 ? [] : [this.ended(Buffer.alloc(0))]
  }

  /** Replaces carriage returns that end lines by line feeds. */
  private withLineFeeds(piece: Buffer): Buffer {
    const text = (this.hasReturnBefore ? '\r' : '') + piece.toString('latin1')
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    this.endsWithReturn ??= this.firstRowEndsWithReturn(whole)
    if (this.endsWithReturn === false) return Buffer.from(text, 'latin1')
    this.hasReturnBefore = whole !== text
    const ended = this.endsWithReturn === true ? whole.replaceAll(/\r\n?/g, '\n') : whole
    return Buffer.from(ended, 'latin1')
  }

  private firstRowEndsWithReturn(text: string): boolean | undefined {
    this.hasQuotedLineEnds ??= /\S/.test(text) ? !text.trimStart().startsWith('{') : undefined
    for (const [sign] of text.matchAll(/"|\r\n?|\n/g)) {
      if (sign === '"') this.isInQuotes = this.hasQuotedLineEnds === true && !this.isInQuotes
      else if (!this.isInQuotes) return sign === '\r'
    }
    return undefined
  }

  private ended(last: Buffer): Line {
    this.number += 1
    const { number } = this
    if (this.size === 0 && last.length <= maxLineBytes) {
      return { number, bytes: last, isTooLong: false, hasOddQuotes: false }
    }
    this.add(last)
    const isTooLong = this.size > maxLineBytes
    const line = {
      number,
      bytes: Buffer.concat(this.parts),
      isTooLong,
      hasOddQuotes: this.hasOddQuotes,
    }
    this.parts = []
    this.size = 0
    this.hasOddQuotes = false
    return line
  }

  /** Adds bytes to the line. Drops the bytes of a line that is too long, but counts its quotation marks. */
  private add(part: Buffer): void {
    this.parts.push(part)
    this.size += part.length
    if (this.size <= maxLineBytes) return
    for (const bytes of this.parts) {
      for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1)) {
        this.hasOddQuotes = !this.hasOddQuotes
      }
    }
    this.parts = []
  }
}
