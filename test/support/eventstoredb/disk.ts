import { metastreamOf, sizeOnDisk, type ProposedEvent, type StoredRecord } from './record.js'

type Passes = (record: StoredRecord) => boolean

/**
 * The log of one double. It outlives the simulated process: a second double with the same disk is the restarted node,
 * or the next leader.
 *
 * A written record is visible to later writes only. A committed record is visible to reads and subscriptions, too.
 */
export class Disk {
  private readonly log: StoredRecord[] = []
  private readonly streams = new Map<string, StoredRecord[]>()
  private committed = 0
  private end = 548n
  /** The end of the chunks that a scavenge has rewritten. Reads can start at any position before it. */
  private scavenged = 0n

  constructor() {
    // A new server first writes system events, so the caller's event is never the first of the log.
    this.write(metastreamOf('$scavenges'), 0n, systemEvent('$metadata', '{"$maxAge":2592000}'))
    this.commit(this.written)
  }

  /** The number of written records. */
  get written(): number {
    return this.log.length
  }

  /** The number of committed records. The first written records are committed first. */
  get visible(): number {
    return this.committed
  }

  /** Returns up to `limit` committed records from an index on, in position order. */
  committedRecords(index = 0, limit = Infinity): readonly StoredRecord[] {
    return this.log.slice(index, Math.min(index + limit, this.committed))
  }

  /** Returns the number of committed records before the position. */
  indexOf(position: bigint): number {
    let [low, high] = [0, this.committed]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.log[middle]?.position ?? position) < position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns up to `limit` of the last committed records, newest first. */
  newest(limit: number): readonly StoredRecord[] {
    return this.log.slice(Math.max(0, this.committed - limit), this.committed).toReversed()
  }

  /** Returns the records of one stream in revision order, including uncommitted ones. */
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

  /** Writes an append without events. It takes space in the log, and readers see nothing of it. */
  writeNothing(stream: string): bigint {
    const position = this.end
    this.end += sizeOnDisk(stream)
    return position
  }

  /**
   * Removes the records that `keeps` rejects, and closes the chunk, as a scavenge does. The remaining records keep
   * their positions. Throws when a written record is not committed.
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

  /** Returns a copy, for another node of the cluster. */
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

  /** Commits the first `count` written records. Returns those that were not committed before. */
  commit(count: number): readonly StoredRecord[] {
    const from = this.committed
    this.committed = Math.max(from, Math.min(count, this.log.length))
    return this.log.slice(from, this.committed)
  }

  /** Removes written records that are not committed, as a leader does after it was replaced. */
  truncate(): void {
    for (const lost of this.log.splice(this.committed)) this.streams.get(lost.stream)?.pop()
    const last = this.log.at(-1)
    if (last !== undefined) this.end = last.position + sizeOnDisk(last.stream, last)
  }
}

/** Returns an event as the server itself writes it. */
export function systemEvent(type: string, json?: string): ProposedEvent {
  return {
    id: crypto.randomUUID(),
    type,
    isJson: json !== undefined,
    data: Buffer.from(json ?? ''),
    metadata: new Uint8Array(),
  }
}
