import type { Json } from '../../../../../domain/json.js'
import {
  emptyState,
  type EntityState,
} from '../../../../../domain/segments/membership/entity-state.js'
import { PackedReader, PackedWriter } from '../../entity-log/packed-numbers.js'
import type { Numbered, StateNumbers } from './state-numbers.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function isEmpty(state: EntityState): boolean {
  const { properties, times, instants, last, sustainedSince, members, due } = state
  const parts = [properties, times, instants, last, sustainedSince, members]
  return due === Infinity && parts.every(({ size }) => size === 0)
}

/**
 * Packs the state of an entity into bytes. The bytes contain seven lists, and each list ends with 0. An entry
 * starts with the number of its property, condition or segment (`StateNumbers`). An instant is stored as the
 * difference from the previous instant. The reader skips entries whose number is no longer in use.
 */
export class StateBytes {
  private readonly writer = new PackedWriter()
  private readonly reader = new PackedReader()
  private instant = 0

  constructor(private readonly numbers: StateNumbers) {}

  /** Returns the packed state without `due`, which the table stores in a separate column. */
  bytesOf(state: EntityState): Uint8Array {
    const { members, instants, last, sustainedSince, brokenAt, times, properties } = state
    const { writer } = this
    const { segments, conditions, names } = this.numbers
    writer.clear()
    this.instant = 0
    const putSince = (since: number) => {
      this.putInstant(since)
    }
    this.putList(members, segments, putSince)
    this.putList(instants, conditions, (list) => {
      writer.putNumber(list.length)
      for (const instant of list) this.putInstant(instant)
    })
    this.putList(last, conditions, ([at, passes]) => {
      this.putInstant(at)
      writer.putByte(passes ? 1 : 0)
    })
    this.putList(sustainedSince, conditions, putSince)
    this.putList(brokenAt, conditions, putSince)
    this.putList(times, names, putSince)
    this.putList(properties, names, (value) => {
      const text = encoder.encode(JSON.stringify(value))
      writer.putNumber(text.length)
      writer.putBytes(text)
    })
    return writer.written()
  }

  private putList<Value>(
    list: Iterable<readonly [string, Value]>,
    { numbers }: Numbered,
    put: (value: Value) => void,
  ): void {
    for (const [id, value] of list) {
      const number = numbers.get(id)
      if (number === undefined) continue
      this.writer.putNumber(number)
      put(value)
    }
    // Ends the list with 0, which is never the number of a property, condition or segment.
    this.writer.putNumber(0)
  }

  private putInstant(instant: number): void {
    this.writer.putSigned(instant - this.instant)
    this.instant = instant
  }

  stateIn(bytes: Uint8Array, due: number): EntityState {
    const { reader, numbers } = this
    const state = emptyState()
    state.due = due
    reader.begin(bytes)
    this.instant = 0
    this.takeList(numbers.segments, state.members, () => this.takeInstant())
    this.takeList(numbers.conditions, state.instants, () => {
      const list: number[] = []
      for (let left = reader.number(); left > 0; left -= 1) list.push(this.takeInstant())
      return list
    })
    this.takeList(numbers.conditions, state.last, () => {
      const at = this.takeInstant()
      return [at, reader.byte() === 1] as const
    })
    this.takeList(numbers.conditions, state.sustainedSince, () => this.takeInstant())
    this.takeList(numbers.conditions, state.brokenAt, () => this.takeInstant())
    this.takeList(numbers.names, state.times, () => this.takeInstant())
    this.takeList(numbers.names, state.properties, () => {
      const length = reader.number()
      const text = decoder.decode(bytes.subarray(reader.next, reader.next + length))
      reader.next += length
      return JSON.parse(text) as Json
    })
    return state
  }

  private takeList<Value>({ ids }: Numbered, into: Map<string, Value>, take: () => Value): void {
    for (;;) {
      const number = this.reader.number()
      if (number === 0) return
      const id = ids.get(number)
      const value = take()
      if (id !== undefined) into.set(id, value)
    }
  }

  private takeInstant(): number {
    this.instant += this.reader.signed()
    return this.instant
  }
}
