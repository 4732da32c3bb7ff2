import { metastreamOf, sizeOnDisk, type ProposedEvent, type StoredRecord } from './record.js'

type Passes = (record: StoredRecord) => boolean

/**
 * The log of one double. It outlives the process it stands for: hand the same disk to a second
 * double and that one is the node started again, or the next leader.
 *
 * Records are first written, in which state only later writes see them, and then committed, from
 * when on reads and subscriptions see them as well.
 */
export class Disk {
  private readonly log: StoredRecord[] = []
  private readonly streams = new Map<string, StoredRecord[]>()
  private committed = 0
  private end = 548n
  /** Chunks that a scavenge wrote anew end here: they can be read from any position. */
  private scavenged = 0n

  constructor() {
    // A fresh server has system events of its own: the log's first event is never the caller's.
    this.write(metastreamOf('$scavenges'), 0n, systemEvent('$metadata', '{"$maxAge":2592000}'))
    this.commit(this.written)
  }

  /** How many records are written. */
  get written(): number {
    return this.log.length
  }

  /** How many of the written records are committed: always the first ones. */
  get visible(): number {
    return this.committed
  }

  /** The committed records from an index on, in the order of their positions. */
  committedRecords(index = 0, limit = Infinity): readonly StoredRecord[] {
    return this.log.slice(index, Math.min(index + limit, this.committed))
  }

  /** How many committed records lie before the position. */
  indexOf(position: bigint): number {
    let [low, high] = [0, this.committed]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.log[middle]?.position ?? position) < position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The last committed records, newest first. */
  newest(limit: number): readonly StoredRecord[] {
    return this.log.slice(Math.max(0, this.committed - limit), this.committed).toReversed()
  }

  /** The records of one stream in the order of their revisions, with those not yet committed. */
  writtenTo(stream: string): readonly StoredRecord[] {
    return this.streams.get(stream) ?? []
  }

  isCommitted(record: StoredRecord): boolean {
    const last = this.log[this.committed - 1]
    return last !== undefined && record.position <= last.position
  }

  write(stream: string, revision: bigint, event: ProposedEvent): StoredRecord {
    const created = BigInt(Date.now()) * 10_000n
    const record = { ...event, stream, revision, position: this.end, created }
    this.end += sizeOnDisk(stream, event)
    this.log.push(record)
    const kept = this.streams.get(stream)
    if (kept === undefined) this.streams.set(stream, [record])
    else kept.push(record)
    return record
  }

  /** An append without events takes room in the log and leaves nothing to read. */
  writeNothing(stream: string): bigint {
    const position = this.end
    this.end += sizeOnDisk(stream)
    return position
  }

  /**
   * Removes the records that are not kept, and closes the chunk, as a scavenge does: what is left keeps its
   * position. All that is written is to be committed.
   */
  scavenge(keeps: Passes): void {
    if (this.committed < this.log.length) throw new TypeError('something is not committed')
    const left = this.log.filter(keeps)
    if (left.length < this.log.length) this.scavenged = this.end
    this.log.splice(0, this.log.length, ...left)
    this.committed = left.length
  }

  isScavenged(position: bigint): boolean {
    return position < this.scavenged
  }

  /** What another node has. */
  copy(): Disk {
    const other = new Disk()
    other.log.splice(0, other.log.length, ...this.log)
    other.streams.clear()
    for (const [stream, records] of this.streams) other.streams.set(stream, [...records])
    other.committed = this.committed
    other.end = this.end
    other.scavenged = this.scavenged
    return other
  }

  /** Commits the first `count` written records and returns those that were not committed before. */
  commit(count: number): readonly StoredRecord[] {
    const from = this.committed
    this.committed = Math.max(from, Math.min(count, this.log.length))
    return this.log.slice(from, this.committed)
  }

  /** Cuts off what is written but not committed, as a leader does that another one replaced. */
  truncate(): void {
    for (const lost of this.log.splice(this.committed)) this.streams.get(lost.stream)?.pop()
    const last = this.log.at(-1)
    if (last !== undefined) this.end = last.position + sizeOnDisk(last.stream, last)
  }
}

/** An event the server itself writes. */
export function systemEvent(type: string, json?: string): ProposedEvent {
  return {
    id: crypto.randomUUID(),
    type,
    isJson: json !== undefined,
    data: Buffer.from(json ?? ''),
    metadata: new Uint8Array(),
  }
}
