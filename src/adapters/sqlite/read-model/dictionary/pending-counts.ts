import type { FlatEvent } from '../../../../application/facts/lazy-event.js'
import type { JsonObject } from '../../../../domain/json.js'
import {
  maxPointers,
  pointersIn,
  propertyTypes,
  type TypedPointer,
} from '../../../../domain/property-types.js'
import { type EventShape, EventShapes } from './event-shapes.js'

/** For each type, the difference to the stored number of values. The order is that of `propertyTypes`. */
export type TypeCounts = number[]

/** The approximate size of all pending counts. */
export interface PendingSize {
  characters: number
}

/** The approximate size of an entry beside its text, in characters. */
const entryCharacters = 64

export function addEntry(size: PendingSize, text: string): void {
  size.characters += text.length + entryCharacters
}

/** The differences to the stored counts of pointers, until they are written. */
export class PendingPointers {
  readonly counts = new Map<string, TypeCounts>()

  constructor(private readonly size: PendingSize) {}

  add(pointers: readonly TypedPointer[], difference: number): void {
    const count = Math.min(pointers.length, maxPointers)
    for (let index = 0; index < count; index += 1) {
      const { pointer = '', type = 0 } = pointers[index] ?? {}
      const counts = this.countsOf(pointer)
      counts[type] = (counts[type] ?? 0) + difference
    }
  }

  private countsOf(pointer: string): TypeCounts {
    const found = this.counts.get(pointer)
    if (found !== undefined) return found
    const counts = propertyTypes.map(() => 0)
    this.counts.set(pointer, counts)
    addEntry(this.size, pointer)
    return counts
  }
}

/** The differences to the stored counts of one event name, until they are written. */
export class PendingEvents {
  count = 0
  /** True when an event has more than `maxPointers` pointers. */
  isCut = false
  readonly days = new Map<number, number>()
  readonly pointers: PendingPointers
  private readonly shapes = new EventShapes()

  constructor(private readonly size: PendingSize) {
    this.pointers = new PendingPointers(size)
  }

  /** Adds an event. `flat` is the event as text, if it can be compared with a shape. */
  add(day: number, flat: FlatEvent | undefined, properties: () => JsonObject): void {
    this.addDay(day, 1)
    if (flat !== undefined && this.shapes.count(flat)) return
    const found = properties()
    const pointers = pointersIn(found)
    this.addPointers(pointers, 1)
    const dropped = flat && this.shapes.note(pointers, Object.keys(found))
    if (dropped !== undefined) this.takeCount(dropped)
  }

  remove(day: number, properties: JsonObject): void {
    this.addDay(day, -1)
    this.addPointers(pointersIn(properties), -1)
  }

  /** Moves the counts of the shapes to `pointers`. Call it before the counts are read. */
  takeShapes(): void {
    for (const shape of this.shapes.all) this.takeCount(shape)
  }

  clear(): void {
    this.count = 0
    this.isCut = false
    this.days.clear()
    this.pointers.counts.clear()
  }

  private takeCount(shape: EventShape): void {
    if (shape.count > 0) this.pointers.add(shape.pointers, shape.count)
    shape.count = 0
  }

  private addDay(day: number, difference: number): void {
    this.count += difference
    const before = this.days.get(day)
    if (before === undefined) addEntry(this.size, '')
    this.days.set(day, (before ?? 0) + difference)
  }

  private addPointers(pointers: readonly TypedPointer[], difference: number): void {
    this.isCut ||= pointers.length > maxPointers
    this.pointers.add(pointers, difference)
  }
}
