import { entityStream } from '../../../domain/entity.js'

/** What the data of a fact about an entity begins with, as `toStored` writes it. */
const subject = /^\{"(?:entityExternalId|externalId)":"([^"\\]*)"/

/** Slots at the beginning, and at most: 16 bytes each, three of four are used. */
const firstSlots = 4_096
const defaultMaxSlots = 2_097_152

const integerEnd = 0x1_0000_0000
const offsetBasis = 0x811c9dc5
const prime = 0x01000193
const otherPrime = 0x85ebca6b

/**
 * The names of entities' streams, found by what their facts say instead of in a table, where each would
 * be a look at another page. Of each stream that was seen a hash of its name is cached, 64 bits: a fact
 * in it that names this entity is in the stream of that name.
 */
export class StreamNames {
  /** By slot: the stream's id (0: free), and the two halves of the hash. */
  private ids: Float64Array
  private hashes: Uint32Array
  private used = 0

  constructor(
    private readonly maxSlots = defaultMaxSlots,
    slots = firstSlots,
  ) {
    this.ids = new Float64Array(slots)
    this.hashes = new Uint32Array(slots * 2)
  }

  /** Undefined: it is to be looked up, and may be added. `data`: of a fact in the stream. */
  nameOf(streamId: number, data: string): string | undefined {
    const slot = this.slotOf(streamId)
    if (this.ids[slot] === 0) return undefined
    const externalId = subject.exec(data)?.[1]
    if (externalId === undefined) return undefined
    const name = entityStream(externalId)
    const isSame =
      this.hashes[slot * 2] === hashOf(name) &&
      this.hashes[slot * 2 + 1] === hashOf(name, otherPrime)
    return isSame ? name : undefined
  }

  add(streamId: number, name: string): void {
    if (this.used * 4 >= this.ids.length * 3 && !this.grow()) return
    const slot = this.slotOf(streamId)
    if (this.ids[slot] !== 0) return
    this.ids[slot] = streamId
    this.hashes[slot * 2] = hashOf(name)
    this.hashes[slot * 2 + 1] = hashOf(name, otherPrime)
    this.used += 1
  }

  private slotOf(streamId: number): number {
    const { ids } = this
    const last = ids.length - 1
    let slot = Math.imul(streamId % integerEnd, 0x9e3779b1) & last
    while (ids[slot] !== 0 && ids[slot] !== streamId) slot = (slot + 1) & last
    return slot
  }

  private grow(): boolean {
    const { ids, hashes } = this
    if (ids.length >= this.maxSlots) return false
    this.ids = new Float64Array(ids.length * 2)
    this.hashes = new Uint32Array(hashes.length * 2)
    for (const [from, streamId] of ids.entries()) {
      if (streamId === 0) continue
      const slot = this.slotOf(streamId)
      this.ids[slot] = streamId
      this.hashes.set(hashes.subarray(from * 2, from * 2 + 2), slot * 2)
    }
    return true
  }
}

/** FNV-1a over UTF-16 units. */
export function hashOf(name: string, factor = prime): number {
  let hash = offsetBasis
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), factor)
  }
  return hash >>> 0
}

const defaultSize = 32_768

/**
 * The ids of streams that were looked up lately, which spares the table. Bounded: the names of
 * two generations; what was not looked up during a whole one is forgotten.
 */
export class StreamIdCache {
  private young = new Map<string, number>()
  private old = new Map<string, number>()

  constructor(private readonly size = defaultSize) {}

  idOf(name: string, lookUp: () => number | undefined = () => undefined): number | undefined {
    const id = this.young.get(name)
    if (id !== undefined) return id
    const found = this.old.get(name) ?? lookUp()
    if (found !== undefined) this.add(name, found)
    return found
  }

  add(name: string, id: number): void {
    if (this.young.size >= this.size) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(copyOf(name), id)
  }

  forget(name: string): void {
    this.young.delete(name)
    this.old.delete(name)
  }

  forgetAll(): void {
    this.young = new Map()
    this.old = this.young
  }
}

/** The name may be a part of a long text, which would live as long as it. Names are well-formed. */
function copyOf(name: string): string {
  return Buffer.from(name).toString()
}
