import type { Json } from '../../../../domain/json.js'
import {
  emptyState,
  type EntityState,
} from '../../../../domain/segments/membership/entity-state.js'
import { PackedReader, PackedWriter } from '../entity-log/packed-numbers.js'
import type { StateNumbers } from './state-numbers.js'

const maxNumberBytes = 8
/** Numbers of a list's entry, besides its instants or its text. */
const numbersOfEntry = 3

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function isEmpty(state: EntityState): boolean {
  const { properties, instants, last, sustainedSince, members, due } = state
  const parts = [properties, instants, last, sustainedSince, members]
  return due === Infinity && parts.every(({ size }) => size === 0)
}

/**
 * Writes and reads the states of entities as bytes: five lists, each with the number of its entries first,
 * and in each entry first the number of what it is about (`StateNumbers`). An instant is the difference
 * from the one before. What has no number any longer is passed over.
 */
export class StateBytes {
  private writer = new PackedWriter(1_024)
  private capacity = 1_024
  private readonly reader = new PackedReader()
  private instant = 0

  constructor(private readonly numbers: StateNumbers) {}

  /** All but `due`. */
  bytesOf(state: EntityState): Uint8Array {
    const { members, instants, last, sustainedSince, properties } = state
    const texts = [...properties].map(
      ([name, value]) => [name, encoder.encode(JSON.stringify(value))] as const,
    )
    this.begin(state, texts)
    const { writer, numbers } = this
    this.putList(members, numbers.ofSegment, (since) => {
      this.putInstant(since)
    })
    this.putList(instants, numbers.of, (list) => {
      writer.putNumber(list.length)
      for (const instant of list) this.putInstant(instant)
    })
    this.putList(last, numbers.of, ([at, passes]) => {
      this.putInstant(at)
      writer.putByte(passes ? 1 : 0)
    })
    this.putList(sustainedSince, numbers.of, (since) => {
      this.putInstant(since)
    })
    this.putList(texts, numbers.ofName, (text) => {
      writer.putNumber(text.length)
      writer.putBytes(text)
    })
    return writer.written()
  }

  private begin(state: EntityState, texts: readonly (readonly [string, Uint8Array])[]): void {
    const { members, instants, last, sustainedSince } = state
    let numbers =
      5 + numbersOfEntry * (members.size + last.size + sustainedSince.size + texts.length)
    for (const list of instants.values()) numbers += numbersOfEntry + list.length
    let needed = numbers * maxNumberBytes
    for (const [, text] of texts) needed += text.length
    if (needed > this.capacity) {
      this.writer = new PackedWriter(needed)
      this.capacity = needed
    }
    this.writer.clear()
    this.instant = 0
  }

  private putList<Value>(
    list: Iterable<readonly [string, Value]>,
    numberOf: (id: string) => number | undefined,
    put: (value: Value) => void,
  ): void {
    const { writer } = this
    for (const [id, value] of list) {
      const number = numberOf(id)
      if (number === undefined) continue
      writer.putNumber(number)
      put(value)
    }
    // No number is 0.
    writer.putNumber(0)
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
    this.takeList(numbers.names, state.properties, () => {
      const length = reader.number()
      const text = decoder.decode(bytes.subarray(reader.next, reader.next + length))
      reader.next += length
      return JSON.parse(text) as Json
    })
    return state
  }

  private takeList<Value>(
    ids: ReadonlyMap<number, string>,
    into: Map<string, Value>,
    take: () => Value,
  ): void {
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
