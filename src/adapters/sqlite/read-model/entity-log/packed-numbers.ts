/** The lowest number for which bitwise operators do not work. */
const integerEnd = 0x8000_0000

const firstCapacity = 1_024

/** Writes integers up to 2^53 with seven bits per byte, lowest bits first. Small numbers need few bytes. */
export class PackedWriter {
  length = 0
  private bytes = new Uint8Array(firstCapacity)

  clear(): void {
    this.length = 0
  }

  putBytes(bytes: Uint8Array): void {
    while (this.length + bytes.length > this.bytes.length) this.grow()
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  putByte(byte: number): void {
    if (this.length === this.bytes.length) this.grow()
    this.bytes[this.length] = byte
    this.length += 1
  }

  putNumber(value: number): void {
    let left = value
    for (; left >= integerEnd; left = Math.floor(left / 0x80)) this.putByte((left % 0x80) | 0x80)
    for (; left >= 0x80; left >>>= 7) this.putByte((left & 0x7f) | 0x80)
    this.putByte(left)
  }

  /** Writes an integer that is at least -2^52. The lowest bit contains the sign. */
  putSigned(value: number): void {
    this.putNumber(value < 0 ? -2 * value - 1 : 2 * value)
  }

  private grow(): void {
    const { bytes } = this
    this.bytes = new Uint8Array(bytes.length * 2)
    this.bytes.set(bytes)
  }

  /** Returns a copy of the bytes of `before`, followed by the written bytes. */
  written(before?: PackedWriter): Uint8Array {
    const first = before?.length ?? 0
    const copy = new Uint8Array(first + this.length)
    if (before !== undefined) copy.set(before.bytes.subarray(0, first))
    copy.set(this.bytes.subarray(0, this.length), first)
    return copy
  }
}

export class PackedReader {
  private bytes: Uint8Array = new Uint8Array(0)
  next = 0

  begin(bytes: Uint8Array, at = 0): void {
    this.bytes = bytes
    this.next = at
  }

  get isAtEnd(): boolean {
    return this.next >= this.bytes.length
  }

  byte(): number {
    const byte = this.bytes[this.next] ?? damaged()
    this.next += 1
    return byte
  }

  number(): number {
    let byte = this.byte()
    let value = byte & 0x7f
    for (let unit = 0x80; byte >= 0x80; unit *= 0x80) {
      byte = this.byte()
      value += (byte & 0x7f) * unit
    }
    return value
  }

  signed(): number {
    const value = this.number()
    const half = value < integerEnd ? value >>> 1 : Math.floor(value / 2)
    return value % 2 === 0 ? half : -half - 1
  }
}

export function damaged(): never {
  throw new TypeError('a block of entries is damaged')
}
