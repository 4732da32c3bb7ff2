import { flatEvent, type FlatEvent } from '../../../../application/facts/lazy-event.js'
import type { JsonObject } from '../../../../domain/json.js'
import {
  maxPointers,
  pointersIn,
  propertyTypes,
  stepText,
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
  /** The members of `counts` by the name of a top-level property. With it, most values need no pointer. */
  private readonly byName = new Map<string, TypeCounts>()

  constructor(private readonly size: PendingSize) {}

  add(pointers: readonly TypedPointer[], difference: number): void {
    const count = Math.min(pointers.length, maxPointers)
    for (let index = 0; index < count; index += 1) {
      const { pointer = '', type = 0 } = pointers[index] ?? {}
      const counts = this.countsOf(pointer)
      counts[type] = (counts[type] ?? 0) + difference
    }
  }

  /** Adds a value without members at a top-level property. */
  addScalar(name: string, type: number, difference: number): void {
    let counts = this.byName.get(name)
    if (counts === undefined) {
      counts = this.countsOf(stepText(name))
      this.byName.set(name, counts)
      addEntry(this.size, name)
    }
    counts[type] = (counts[type] ?? 0) + difference
  }

  clear(): void {
    this.counts.clear()
    this.byName.clear()
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

/** The difference of the number of events on a day. */
interface DayCount {
  readonly day: number
  count: number
}

const noDay: DayCount = { day: NaN, count: 0 }

/** The differences of the counts of one event name that are not written yet. */
export class PendingEvents {
  count = 0
  /** True when an event has more than `maxPointers` pointers. */
  isCut = false
  readonly days = new Map<number, DayCount>()
  /** The day of the latest event, because most events that follow have the same day. */
  private lastDay: DayCount = noDay
  readonly pointers: PendingPointers
  private readonly shapes = new EventShapes()

  constructor(private readonly size: PendingSize) {
    this.pointers = new PendingPointers(size)
  }

  add(day: number, event: { readonly properties: JsonObject }): void {
    this.addDay(day, 1)
    const flat = flatEvent(event)
    if (flat === undefined || !this.shapes.count(flat)) this.addOther(event.properties, flat)
  }

  /** Adds an event without a known shape. `flat` is the event as text, if it can be compared with a shape. */
  private addOther(properties: JsonObject, flat: FlatEvent | undefined): void {
    const pointers = pointersIn(properties)
    this.addPointers(pointers, 1)
    const dropped = flat && this.shapes.note(pointers, Object.keys(properties))
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
    this.lastDay = noDay
    this.pointers.clear()
  }

  private takeCount(shape: EventShape): void {
    if (shape.count > 0) this.pointers.add(shape.pointers, shape.count)
    shape.count = 0
  }

  private addDay(day: number, difference: number): void {
    this.count += difference
    if (this.lastDay.day !== day) this.lastDay = this.dayOf(day)
    this.lastDay.count += difference
  }

  private dayOf(day: number): DayCount {
    const found = this.days.get(day)
    if (found !== undefined) return found
    const added = { day, count: 0 }
    this.days.set(day, added)
    addEntry(this.size, '')
    return added
  }

  private addPointers(pointers: readonly TypedPointer[], difference: number): void {
    this.isCut ||= pointers.length > maxPointers
    this.pointers.add(pointers, difference)
  }
}
