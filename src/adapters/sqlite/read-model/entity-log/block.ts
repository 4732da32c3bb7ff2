import { firstEventKind } from '../fact-kind.js'

/** What is known of a fact of an entity without reading it. All instants are milliseconds since 1970. */
export interface Entry {
  readonly position: number
  /** See fact-kind.ts. */
  readonly kind: number
  /** Log time at the fact. */
  readonly logTime: number
  /** By how much the fact was recorded before its log time. */
  readonly behind: number
  /** An event's own time; of other facts, when they were recorded. */
  readonly at: number
  /** An event whose own time lies before that of one which was recorded earlier. */
  readonly isStraggler: boolean
}

/** A full block has this many entries, so that an entry's number says in which block it is. */
export const entriesOfBlock = 64

/** A flag, a position, a kind, and three instants. */
const maxEntryBytes = 37

const kindBits = 0x0f
const behindFlag = 0x10
const ownTimeFlag = 0x20
const stragglerFlag = 0x40

/** In the place of the kind: an event's kind follows in four bytes. */
const newKind = 3
/** From here to 15: the kind of an event whose kind the block has had. */
const firstKnownKind = 4
const maxKnownKinds = kindBits + 1 - firstKnownKind

/** Numbers from here on have bits that the operators of integers do not see. */
const integerEnd = 0x8000_0000

const nothing = new Uint8Array(0)

/**
 * Reads the entries of a block one after the other. An entry is a flag and, of what it says, the
 * difference from the entry before: a number of seven bits a byte, lowest first; of instants with the
 * sign in the lowest bit. Instants are exact for the years 0 to 9999.
 */
export class BlockReader implements Entry {
  position = 0
  kind = 0
  logTime = 0
  behind = 0
  at = 0
  isStraggler = false
  /** How many were read. */
  count = 0
  /** The kinds of events that were seen, the first ones. */
  kinds: number[] = []
  /** Own times differ from the last one that is given. */
  ownTime = 0
  private bytes: Uint8Array = nothing
  private next = 0

  begin(bytes: Uint8Array): void {
    this.bytes = bytes
    this.next = 0
    this.count = 0
    this.position = 0
    this.logTime = 0
    this.ownTime = 0
    this.kinds = []
  }

  /** False: there is no further entry. */
  read(): boolean {
    if (this.next >= this.bytes.length) return false
    const flags = this.byte()
    this.kind = this.kindOf(flags & kindBits)
    this.position += this.number()
    this.logTime += this.signed()
    this.behind = (flags & behindFlag) === 0 ? 0 : this.signed()
    if ((flags & ownTimeFlag) === 0) {
      this.at = this.logTime - this.behind
    } else {
      this.ownTime += this.signed()
      this.at = this.ownTime
    }
    this.isStraggler = (flags & stragglerFlag) !== 0
    this.count += 1
    return true
  }

  private kindOf(code: number): number {
    if (code < newKind) return code
    if (code >= firstKnownKind) return this.kinds[code - firstKnownKind] ?? damaged()
    const kind =
      this.byte() + this.byte() * 0x100 + this.byte() * 0x1_0000 + this.byte() * 0x100_0000
    if (this.kinds.length < maxKnownKinds) this.kinds.push(kind)
    return kind
  }

  private byte(): number {
    const byte = this.bytes[this.next] ?? damaged()
    this.next += 1
    return byte
  }

  private number(): number {
    let byte = this.byte()
    let value = byte & 0x7f
    for (let unit = 0x80; byte >= 0x80; unit *= 0x80) {
      byte = this.byte()
      value += (byte & 0x7f) * unit
    }
    return value
  }

  private signed(): number {
    const value = this.number()
    const half = value < integerEnd ? value >>> 1 : Math.floor(value / 2)
    return value % 2 === 0 ? half : -half - 1
  }
}

/** Appends entries to a block. */
export class BlockWriter {
  private readonly bytes = new Uint8Array(entriesOfBlock * maxEntryBytes)
  private length = 0
  private readonly last = new BlockReader()

  /** Goes on with a block as it was written. */
  begin(block: Uint8Array): void {
    const { last } = this
    last.begin(block)
    while (last.read());
    this.bytes.set(block)
    this.length = block.length
  }

  get isFull(): boolean {
    return this.last.count >= entriesOfBlock
  }

  add({ position, kind, logTime, behind, at, isStraggler }: Entry): void {
    const { last } = this
    const isGiven = at !== logTime - behind
    const code = this.codeOf(kind)
    this.put(
      code |
        (behind === 0 ? 0 : behindFlag) |
        (isGiven ? ownTimeFlag : 0) |
        (isStraggler ? stragglerFlag : 0),
    )
    if (code === newKind) this.putKind(kind)
    this.putNumber(position - last.position)
    this.putSigned(logTime - last.logTime)
    if (behind !== 0) this.putSigned(behind)
    if (isGiven) {
      this.putSigned(at - last.ownTime)
      last.ownTime = at
    }
    last.position = position
    last.logTime = logTime
    last.count += 1
  }

  get lastPosition(): number {
    return this.last.position
  }

  /** The block as it is now. */
  get written(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }

  clear(): void {
    this.last.begin(nothing)
    this.length = 0
  }

  private codeOf(kind: number): number {
    if (kind < firstEventKind) return kind
    const known = this.last.kinds.indexOf(kind)
    return known < 0 ? newKind : firstKnownKind + known
  }

  private putKind(kind: number): void {
    const { kinds } = this.last
    if (kinds.length < maxKnownKinds) kinds.push(kind)
    for (let left = kind, byte = 0; byte < 4; byte += 1) {
      this.put(left % 0x100)
      left = Math.floor(left / 0x100)
    }
  }

  private put(byte: number): void {
    this.bytes[this.length] = byte
    this.length += 1
  }

  private putNumber(value: number): void {
    let left = value
    for (; left >= integerEnd; left = Math.floor(left / 0x80)) this.put((left % 0x80) | 0x80)
    for (; left >= 0x80; left >>>= 7) this.put((left & 0x7f) | 0x80)
    this.put(left)
  }

  private putSigned(value: number): void {
    this.putNumber(value < 0 ? -2 * value - 1 : 2 * value)
  }
}

/** All entries of a block. */
export function entriesIn(block: Uint8Array): readonly Entry[] {
  const entries: Entry[] = []
  const reader = new BlockReader()
  reader.begin(block)
  while (reader.read()) {
    const { position, kind, logTime, behind, at, isStraggler } = reader
    entries.push({ position, kind, logTime, behind, at, isStraggler })
  }
  return entries
}

function damaged(): never {
  throw new TypeError('a block of entries is damaged')
}
