/** The first and last position of the facts that were stored under a key. */
export interface KeyedRange {
  readonly first: number
  readonly last: number
}

/** An idempotency key of a stream, and the range of its facts. */
export interface KeyEntry extends KeyedRange {
  readonly streamId: number
  readonly key: Buffer
}

/** The part of the index that one transaction writes. */
export interface IndexStep {
  readonly entries: readonly KeyEntry[]
  /** Set with the last entries of a round. The index then has the keys of all facts up to this position. */
  readonly indexedUpTo: number | undefined
}

interface Round {
  /** Sorted by stream and key, in the order of the index. */
  readonly entries: readonly KeyEntry[]
  readonly byName: ReadonlyMap<string, KeyEntry>
  readonly upTo: number
  /** How many of the entries are in the index. */
  written: number
}

interface RecentKeysLimits {
  /** A round begins when this many keys wait. */
  readonly keys: number
  /** A round also begins when the index lags by this many facts, whatever the number of keys. */
  readonly facts: number
}

/** These limits also bound how many facts a start reads again. */
const defaultLimits: RecentKeysLimits = { keys: 16_384, facts: 65_536 }

const minStep = 64

/**
 * The keys of the latest facts, which the index `append_keys` does not have yet. The facts contain their
 * keys, so a start recovers them.
 *
 * A single new key changes one page somewhere in the index. Thousands of keys in index order share pages.
 * Keys therefore go to the index in rounds, with one step in each group's transaction.
 */
export class RecentKeys {
  private recent = new Map<string, KeyEntry>()
  private ofGroup: string[] = []
  private round: Round | undefined
  private step: IndexStep = nothing

  /** `indexedUpTo` is the position up to which the index has the keys of all facts. */
  constructor(
    private indexedUpTo: number,
    private readonly limits = defaultLimits,
  ) {}

  find(streamId: number, key: Buffer): KeyedRange | undefined {
    const name = nameOf(streamId, key)
    return this.recent.get(name) ?? this.round?.byName.get(name)
  }

  /** Adds the key of an append in the group that is being written. */
  add(entry: KeyEntry): void {
    const name = nameOf(entry.streamId, entry.key)
    this.recent.set(name, entry)
    this.ofGroup.push(name)
  }

  /** Adds the keys of facts that were read from the file. */
  restore(entries: Iterable<KeyEntry>): void {
    for (const entry of entries) this.recent.set(nameOf(entry.streamId, entry.key), entry)
  }

  /**
   * Returns the index entries that the next transaction writes. `head` is the newest durable position, and
   * `appends` is the size of the group.
   */
  nextStep(head: number, appends: number): IndexStep {
    const isDue =
      this.recent.size >= this.limits.keys || head - this.indexedUpTo >= this.limits.facts
    if (this.round === undefined && isDue) this.beginRound(head)
    // Writes twice as many keys as the group can add, so that a round ends before the next one is due.
    this.step = this.stepOf(Math.max(minStep, 2 * appends))
    return this.step
  }

  /** Returns all keys that are not in the index, for a transaction without appends. */
  lastStep(head: number): IndexStep {
    const left = this.round?.entries.slice(this.round.written) ?? []
    const entries = [...left, ...this.recent.values()].sort(byStreamAndKey)
    return { entries, indexedUpTo: head }
  }

  committed(): void {
    const { round } = this
    const { entries, indexedUpTo } = this.step
    this.ofGroup = []
    this.step = nothing
    if (round === undefined) return
    round.written += entries.length
    if (indexedUpTo === undefined) return
    this.indexedUpTo = indexedUpTo
    this.round = undefined
  }

  /** The transaction was rolled back. Its keys are removed, and its step will be repeated. */
  failed(): void {
    for (const name of this.ofGroup) this.recent.delete(name)
    this.ofGroup = []
    this.step = nothing
  }

  /** Removes the keys of a stream, also those of a round in progress. */
  forget(streamId: number): void {
    for (const [name, entry] of this.recent) {
      if (entry.streamId === streamId) this.recent.delete(name)
    }
    if (this.round === undefined) return
    const { entries, written, byName } = this.round
    const left = entries.slice(written).filter((entry) => entry.streamId !== streamId)
    const names = [...byName].filter(([, entry]) => entry.streamId !== streamId)
    this.round = { ...this.round, entries: left, written: 0, byName: new Map(names) }
  }

  private beginRound(head: number): void {
    const entries = [...this.recent.values()].sort(byStreamAndKey)
    this.round = { entries, byName: this.recent, upTo: head, written: 0 }
    this.recent = new Map()
  }

  private stepOf(most: number): IndexStep {
    const { round } = this
    if (round === undefined) return nothing
    const entries = round.entries.slice(round.written, round.written + most)
    const isLast = round.written + entries.length === round.entries.length
    return { entries, indexedUpTo: isLast ? round.upTo : undefined }
  }
}

const nothing: IndexStep = { entries: [], indexedUpTo: undefined }

function nameOf(streamId: number, key: Buffer): string {
  return `${key.toString('latin1')}${String(streamId)}`
}

/** Sorts nearly in index order: four bytes of a key are enough to separate most keys. */
function byStreamAndKey(left: KeyEntry, right: KeyEntry): number {
  return left.streamId - right.streamId || left.key.readUInt32BE() - right.key.readUInt32BE()
}
