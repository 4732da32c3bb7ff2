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
/**
 * The number of events with the same shape after which the shape is kept. To keep a shape costs as much as to count
 * 100 events.
 */
const minEvents = 8
/** The most candidates for a new shape, for one event name. The events of each candidate are counted. */
const maxSeen = 16
/** The most properties of a shape, and the most characters of their names. */
const maxProperties = 64
const maxCharacters = 2_048

/** Patterns for the JSON of a value, by type. A text with an escaped character matches no pattern. */
const patterns: Readonly<Record<number, string>> = {
  [ofString]: String.raw`"[^"\\]*"`,
  [ofNumber]: String.raw`-?[0-9][^,}]*`,
  [ofBoolean]: '(?:true|false)',
  [ofNull]: 'null',
}

/**
 * The names and types of the properties of an event, in the order of the properties in the event's text. Most
 * events with one name have one shape. A regular expression finds the shape for an eighth of the cost of parsing
 * the properties.
 */
export class EventShape {
  /** The number of events with this shape that are not in `PendingPointers` yet. */
  count = 0

  constructor(
    readonly pointers: readonly TypedPointer[],
    private readonly pattern: RegExp,
  ) {}

  /** Returns whether the event has exactly the names and types of this shape, in this order. */
  isOf({ text, propertiesStart }: FlatEvent): boolean {
    this.pattern.lastIndex = propertiesStart
    return this.pattern.test(text)
  }
}

/** The frequent shapes of the events with one name. */
export class EventShapes {
  private readonly shapes: EventShape[] = []
  /** The number of events of each candidate for a new shape, by the source of its pattern. */
  private readonly seen = new Map<string, number>()

  get all(): readonly EventShape[] {
    return this.shapes
  }

  /** Counts an event if it has a kept shape. Otherwise returns false. */
  count(event: FlatEvent): boolean {
    const { shapes } = this
    for (let at = 0; at < shapes.length; at += 1) {
      const shape = shapes[at]
      if (shape?.isOf(event) !== true) continue
      shape.count += 1
      if (at > 0) shapes.unshift(...shapes.splice(at, 1))
      return true
    }
    return false
  }

  /**
   * Counts an event whose shape is not kept, and keeps the shape if it is frequent. `names` are the names of the
   * properties in the order of `pointers`. Returns the shape that the new shape has replaced.
   */
  note(pointers: readonly TypedPointer[], names: readonly string[]): EventShape | undefined {
    const source = sourceOf(pointers, names)
    if (source === undefined) return undefined
    if (this.seen.size >= maxSeen && !this.seen.has(source)) this.seen.clear()
    const events = (this.seen.get(source) ?? 0) + 1
    this.seen.set(source, events)
    if (events < minEvents) return undefined
    this.seen.delete(source)
    this.shapes.unshift(new EventShape(pointers, new RegExp(source, 'y')))
    return this.shapes.length > maxShapes ? this.shapes.pop() : undefined
  }
}

/**
 * Returns the source of a regular expression that matches events with these properties. Returns undefined when
 * properties are nested or too many, or when the source would be too long.
 */
function sourceOf(pointers: readonly TypedPointer[], names: readonly string[]): string | undefined {
  if (pointers.length > maxProperties || pointers.some(({ type }) => type > ofNull))
    return undefined
  const members = names.map((name, at) => {
    const value = patterns[pointers[at]?.type ?? ofNull] ?? ''
    return `${escaped(JSON.stringify(name))}:${value}`
  })
  const source = String.raw`\{${members.join(',')}\}`
  return source.length > maxCharacters ? undefined : source
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
