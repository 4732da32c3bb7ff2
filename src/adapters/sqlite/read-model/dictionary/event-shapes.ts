import type { FlatEvent } from '../../../../application/facts/lazy-event.js'
import {
  ofBoolean,
  ofNull,
  ofNumber,
  ofString,
  type TypedPointer,
} from '../../../../domain/property-types.js'

/** The most shapes that are kept for one event name. */
const maxShapes = 4
/** The most properties of a shape, and the most characters of their names. */
const maxProperties = 64
const maxCharacters = 2_048

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const closingBrace = 0x7d

/**
 * The names and types of the properties of an event, in the order of their text. Most events with one name have
 * one shape. A comparison with the shape costs a fraction of parsing the properties.
 */
export class EventShape {
  /** The number of events with this shape that are not in `PendingCounts` yet. */
  count = 0

  private constructor(
    readonly pointers: readonly TypedPointer[],
    private readonly starts: readonly string[],
  ) {}

  /**
   * Returns the shape of flat properties. Returns undefined when properties are nested or too many.
   * `names` are the names in the order of `pointers`.
   */
  static of(pointers: readonly TypedPointer[], names: readonly string[]): EventShape | undefined {
    if (pointers.length === 0 || pointers.length > maxProperties) return undefined
    if (pointers.some(({ type }) => type > ofNull)) return undefined
    const starts = names.map((name, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    const characters = starts.reduce((sum, start) => sum + start.length, 0)
    return characters > maxCharacters ? undefined : new EventShape(pointers, starts)
  }

  /**
   * Returns whether the event has exactly the names and types of this shape, in this order. Returns false for
   * some events that have them, for example for a text with an escaped character before its last quote.
   */
  isOf({ text, propertiesStart }: FlatEvent): boolean {
    const { starts, pointers } = this
    let at = propertiesStart
    for (let index = 0; index < starts.length; index += 1) {
      const start = starts[index] ?? ''
      if (!text.startsWith(start, at)) return false
      at = endOfValue(text, at + start.length, pointers[index]?.type)
      if (at < 0) return false
    }
    return text.charCodeAt(at) === closingBrace
  }
}

/** Returns the index after a value of the type. Returns -1 when the value has another type. */
function endOfValue(text: string, at: number, type: number | undefined): number {
  switch (type) {
    case ofString:
      return text.charCodeAt(at) === quote ? endOfString(text, at + 1) : -1
    case ofNumber:
      return beginsNumber(text.charCodeAt(at)) ? endOfNumber(text, at + 1) : -1
    case ofBoolean:
      return text.startsWith('true', at) ? at + 4 : endOfWord(text, at, 'false')
    case ofNull:
      return endOfWord(text, at, 'null')
    default:
      return -1
  }
}

/** Returns -1 when the last character of the text may be escaped. */
function endOfString(text: string, from: number): number {
  const end = text.indexOf('"', from)
  return text.charCodeAt(end - 1) === backslash ? -1 : end + 1
}

function endOfWord(text: string, at: number, word: string): number {
  return text.startsWith(word, at) ? at + word.length : -1
}

function beginsNumber(code: number): boolean {
  return code === minus || (code >= zero && code <= nine)
}

function endOfNumber(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === comma || code === closingBrace || Number.isNaN(code)) return at
    at += 1
  }
}

/** The latest shapes of the events with one name. */
export class EventShapes {
  private readonly shapes: EventShape[] = []

  /** Counts an event if it has a known shape. Otherwise returns false. */
  count(event: FlatEvent): boolean {
    const { shapes } = this
    for (let index = 0; index < shapes.length; index += 1) {
      const shape = shapes[index]
      if (shape?.isOf(event) !== true) continue
      shape.count += 1
      if (index > 0) {
        shapes.splice(index, 1)
        shapes.unshift(shape)
      }
      return true
    }
    return false
  }

  /** Adds a shape. Returns the shape that is dropped for it. */
  add(shape: EventShape): EventShape | undefined {
    this.shapes.unshift(shape)
    return this.shapes.length > maxShapes ? this.shapes.pop() : undefined
  }

  get all(): readonly EventShape[] {
    return this.shapes
  }
}
