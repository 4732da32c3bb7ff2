import { firstEventKind } from '../fact-kinds.js'
import { damaged, PackedReader, PackedWriter } from './packed-numbers.js'

/** The entry of one fact in the log of an entity. All instants are milliseconds since 1970. */
export interface Entry {
  readonly position: number
  /** The kind of the fact: see `fact-kinds.ts`. */
  readonly kind: number
  readonly logTime: number
  /** The log time at the fact minus the time when the fact was recorded, in milliseconds. */
  readonly lagMs: number
  /** The own time of the fact. */
  readonly at: number
  /**
   * True for a late event: an event with a lower position has a later own time. Also true for a late change: a
   * change with a lower position has a later own time.
   */
  readonly isStraggler: boolean
}

/**
 * The number of entries in a full block. Only the last block of a log is not full. The index of an entry in the
 * log therefore determines its block.
 */
export const entriesOfBlock = 64

const kindBits = 0x0f
const lagFlag = 0x10
const ownTimeFlag = 0x20
const stragglerFlag = 0x40

/** The code for an event kind that is new in the block. Four bytes with the kind follow the code. */
const newKind = 4
/**
 * The lowest code that refers to an event kind of a previous entry. The codes from 5 to 15 refer to the first 11 of
 * these kinds.
 */
const firstListedKind = 5
const maxListedKinds = kindBits + 1 - firstListedKind

const nothing = new Uint8Array(0)

/** Returns the own time of a fact without a time from the caller. An entry does not contain such an own time. */
function usualOwnTime({ kind, logTime, lagMs }: Omit<Entry, 'at' | 'isStraggler'>): number {
  return kind < firstEventKind ? logTime : logTime - lagMs
}

/**
 * Reads the entries of a block one after another. An entry consists of a flag byte, and of its position and log
 * time as differences from the previous entry. The flags say whether `lagMs` and `at` are also stored.
 * Instants are exact for the years 0 to 9999.
 */
class BlockReader implements Entry {
  position = 0
  kind = 0
  logTime = 0
  lagMs = 0
  isStraggler = false
  count = 0
  /**
   * The event kinds of the block in the order in which they first appear. The list is limited by the number of
   * codes.
   */
  kinds: number[] = []
  /** The last own time that the block contains. The next own time is stored as the difference from this time. */
  ownTime = 0
  private hasOwnTime = false
  private readonly packed = new PackedReader()

  begin(bytes: Uint8Array, from = 0): void {
    this.packed.begin(bytes, from)
    this.count = 0
    this.position = 0
    this.logTime = 0
    this.ownTime = 0
    if (this.kinds.length > 0) this.kinds = []
  }

  read(): boolean {
    const { packed } = this
    if (packed.isAtEnd) return false
    const flags = packed.byte()
    this.kind = this.kindOf(flags & kindBits)
    this.position += packed.number()
    this.logTime += packed.signed()
    this.lagMs = (flags & lagFlag) === 0 ? 0 : packed.signed()
    this.hasOwnTime = (flags & ownTimeFlag) !== 0
    if (this.hasOwnTime) this.ownTime += packed.signed()
    this.isStraggler = (flags & stragglerFlag) !== 0
    this.count += 1
    return true
  }

  // A getter, because a writer skips the entries of a block and needs only the state after them.
  get at(): number {
    return this.hasOwnTime ? this.ownTime : usualOwnTime(this)
  }

  private kindOf(code: number): number {
    if (code < newKind) return code
    const { packed, kinds } = this
    if (code >= firstListedKind) return kinds[code - firstListedKind] ?? damaged()
    let kind = 0
    for (let unit = 1; unit <= 0x100_0000; unit *= 0x100) kind += packed.byte() * unit
    if (kinds.length < maxListedKinds) kinds.push(kind)
    return kind
  }
}

export class BlockWriter {
  private readonly packed = new PackedWriter()
  private readonly last = new BlockReader()

  /** Prepares to append entries to an existing block. The block starts at byte `from`. */
  begin(bytes: Uint8Array, from = 0): void {
    const { last, packed } = this
    last.begin(bytes, from)
    while (last.read());
    packed.clear()
    packed.putBytes(from === 0 ? bytes : bytes.subarray(from))
  }

  get isFull(): boolean {
    return this.last.count >= entriesOfBlock
  }

  get lastPosition(): number {
    return this.last.position
  }

  add(entry: Omit<Entry, 'isStraggler'>, isStraggler: boolean): void {
    const { last, packed } = this
    const { position, kind, logTime, lagMs, at } = entry
    const isGiven = at !== usualOwnTime(entry)
    const code = this.codeOf(kind)
    packed.putByte(
      code |
        (lagMs === 0 ? 0 : lagFlag) |
        (isGiven ? ownTimeFlag : 0) |
        (isStraggler ? stragglerFlag : 0),
    )
    if (code === newKind) this.putKind(kind)
    packed.putNumber(position - last.position)
    packed.putSigned(logTime - last.logTime)
    if (lagMs !== 0) packed.putSigned(lagMs)
    if (isGiven) {
      packed.putSigned(at - last.ownTime)
      last.ownTime = at
    }
    last.position = position
    last.logTime = logTime
    last.count += 1
  }

  /** Returns the bytes of `before`, followed by the bytes of the block. */
  written(before?: PackedWriter): Uint8Array {
    return this.packed.written(before)
  }

  clear(): void {
    this.last.begin(nothing)
    this.packed.clear()
  }

  private codeOf(kind: number): number {
    if (kind < firstEventKind) return kind
    const listed = this.last.kinds.indexOf(kind)
    return listed < 0 ? newKind : firstListedKind + listed
  }

  private putKind(kind: number): void {
    const { kinds } = this.last
    if (kinds.length < maxListedKinds) kinds.push(kind)
    for (let left = kind, byte = 0; byte < 4; byte += 1) {
      this.packed.putByte(left % 0x100)
      left = Math.floor(left / 0x100)
    }
  }
}

export function entriesIn(block: Uint8Array, from = 0): readonly Entry[] {
  const entries: Entry[] = []
  const reader = new BlockReader()
  reader.begin(block, from)
  while (reader.read()) {
    const { position, kind, logTime, lagMs, at, isStraggler } = reader
    entries.push({ position, kind, logTime, lagMs, at, isStraggler })
  }
  return entries
}
