import { externalIdMembers } from '../../../application/facts/fact-table.js'
import { entityStream } from '../../../domain/entity.js'

/** Matches the beginning of a fact's data as `toStored` writes it, and captures the entity's external id. */
const subject = new RegExp(String.raw`^\{"(?:${externalIdMembers.join('|')})":"([^"\\]*)"`)

/**
 * The initial and the maximum number of slots. A slot needs 16 bytes. At most three quarters of the slots are
 * used.
 */
const firstSlots = 4_096
const defaultMaxSlots = 2_097_152

const integerEnd = 0x1_0000_0000
const offsetBasis = 0x811c9dc5
const prime = 0x01000193
const otherPrime = 0x85ebca6b

/**
 * Finds the name of an entity's stream from the data of the entity's facts, because each lookup in the table
 * `streams` would read another page. The cache contains a 64-bit hash of the name of each stream. A name is derived
 * from the external id in a fact. If the derived name has the cached hash, it is the name of the stream.
 */
export class StreamNames {
  /**
   * The id of the stream in each slot, or 0 in a free slot. `hashes` contains the two halves of the hash of the
   * stream's name.
   */
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

  /**
   * Returns the name of a stream, derived from the data of one of its facts. Returns undefined when the caller
   * must look up the name in the table `streams`. The caller may then add the name to the cache.
   */
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

/** Returns the FNV-1a hash of a text, computed over its UTF-16 units. */
export function hashOf(name: string, factor = prime): number {
  let hash = offsetBasis
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), factor)
  }
  return hash >>> 0
}
