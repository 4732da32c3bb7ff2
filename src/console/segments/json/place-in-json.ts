import { stepsOf } from '../../parts/pointer.js'

/** A line and a column, both counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/**
 * Returns the position at which the value of a JSON Pointer begins in a JSON text. If the text has no such value,
 * returns the position of the innermost value that would contain it.
 */
export function placeInJson(text: string, pointer: string): Place {
  return placeAt(text, new Scanner(text).find(stepsOf(pointer)))
}

/** Reads a text that `JSON.parse` accepts. */
class Scanner {
  private at = 0

  constructor(private readonly text: string) {}

  /**
   * Returns the offset of the value at the end of the path `steps`. If the path leads nowhere, returns the offset of
   * the last value on the path.
   */
  find(steps: readonly string[]): number {
    this.skipSpace()
    const begin = this.at
    const [step, ...rest] = steps
    const opened = this.text[begin]
    if (step === undefined || (opened !== '{' && opened !== '[')) return begin
    this.at += 1
    for (let index = 0; this.hasNext(); index += 1) {
      const name = opened === '{' ? this.name() : String(index)
      if (name === step) return this.find(rest)
      this.skipValue()
    }
    return begin
  }

  /** Returns whether a member or an item follows. If so, its first character is the next character. */
  private hasNext(): boolean {
    this.skipSpace()
    if (this.text[this.at] === ',') this.at += 1
    this.skipSpace()
    const next = this.text[this.at]
    return next !== undefined && next !== '}' && next !== ']'
  }

  private name(): string {
    const begin = this.at
    this.skipString()
    const name: unknown = JSON.parse(this.text.slice(begin, this.at))
    this.skipSpace()
    this.at += 1
    return String(name)
  }

  private skipValue(): void {
    let depth = 0
    do {
      this.skipSpace()
      const sign = this.text[this.at]
      if (sign === '"') {
        this.skipString()
      } else {
        if (sign === '{' || sign === '[') depth += 1
        if (sign === '}' || sign === ']') depth -= 1
        this.at += 1
        if (!/[{}[\],:]/.test(sign ?? ',')) this.skipWord()
      }
    } while (depth > 0 && this.at < this.text.length)
  }

  /** Skips the rest of a number, `true`, `false` or `null`. */
  private skipWord(): void {
    while (/[^\s{}[\],:"]/.test(this.text[this.at] ?? ',')) this.at += 1
  }

  private skipString(): void {
    this.at += 1
    while (this.at < this.text.length && this.text[this.at] !== '"') {
      this.at += this.text[this.at] === '\\' ? 2 : 1
    }
    this.at += 1
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1
  }
}
