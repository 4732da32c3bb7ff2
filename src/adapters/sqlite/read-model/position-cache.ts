const positionsOfPart = 65_536
/**
 * The most positions in a list. A part of the cache with more positions is a bitmap, which is then smaller than
 * a list.
 */
const maxListed = 256
/**
 * The most parts in the cache. When there are more, the oldest part is evicted. A full cache needs about 100 MB
 * when each part contains one or two positions.
 */
const defaultMaxParts = 1_048_576

/**
 * The cached positions within one range of 65,536 positions, as offsets: a single offset, a list of offsets, or
 * a bitmap.
 */
type Part = number | number[] | Uint8Array

/**
 * A set of recently added positions. In a store whose positions count facts, positions are close together and
 * need a few bits each. In a store whose positions count bytes, positions are far apart and need 30 to 80 bytes
 * each.
 */
export class PositionCache {
  private readonly parts = new Map<number, Part>()

  constructor(private readonly maxParts = defaultMaxParts) {}

  has(position: number): boolean {
    const part = this.parts.get(partOf(position))
    const offset = position % positionsOfPart
    if (part === undefined || typeof part === 'number') return part === offset
    if (Array.isArray(part)) return part.includes(offset)
    return ((part[offset >>> 3] ?? 0) & (1 << (offset & 7))) !== 0
  }

  add(position: number): void {
    if (this.has(position)) return
    const number = partOf(position)
    this.parts.set(number, withOffset(this.parts.get(number), position % positionsOfPart))
    const [oldest] = this.parts.size > this.maxParts ? this.parts.keys() : []
    if (oldest !== undefined) this.parts.delete(oldest)
  }

  delete(position: number): void {
    if (!this.has(position)) return
    const number = partOf(position)
    const part = this.parts.get(number)
    const offset = position % positionsOfPart
    if (typeof part === 'number') this.parts.delete(number)
    else if (Array.isArray(part)) part.splice(part.indexOf(offset), 1)
    else if (part !== undefined)
      part[offset >>> 3] = (part[offset >>> 3] ?? 0) & ~(1 << (offset & 7))
  }
}

function partOf(position: number): number {
  return Math.floor(position / positionsOfPart)
}

function withOffset(part: Part | undefined, offset: number): Part {
  if (part === undefined) return offset
  if (typeof part === 'number') return [part, offset]
  if (!Array.isArray(part)) return withBit(part, offset)
  if (part.length < maxListed) {
    part.push(offset)
    return part
  }
  return part.reduce(withBit, withBit(new Uint8Array(positionsOfPart / 8), offset))
}

function withBit(bits: Uint8Array, offset: number): Uint8Array {
  bits[offset >>> 3] = (bits[offset >>> 3] ?? 0) | (1 << (offset & 7))
  return bits
}
