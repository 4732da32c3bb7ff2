const positionsOfPart = 65_536

/** A set of positions: a bit each, and 8 KiB for each part of the log that has some. */
export class PositionSet {
  private readonly parts = new Map<number, Uint8Array>()

  has(position: number): boolean {
    const part = this.parts.get(Math.floor(position / positionsOfPart))
    if (part === undefined) return false
    const bit = position % positionsOfPart
    return ((part[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
  }

  add(position: number): void {
    const number = Math.floor(position / positionsOfPart)
    const part = this.parts.get(number) ?? new Uint8Array(positionsOfPart / 8)
    this.parts.set(number, part)
    const bit = position % positionsOfPart
    part[bit >>> 3] = (part[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
}
