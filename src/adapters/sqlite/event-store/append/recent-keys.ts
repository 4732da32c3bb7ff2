/** The first and last position of the facts that were stored under one idempotency key. */
export interface KeyedRange {
  readonly first: number
  readonly last: number
}

/** An idempotency key of a stream, with the positions of the facts that were stored under the key. */
export interface KeyEntry extends KeyedRange {
  readonly streamId: number
  readonly key: Buffer
}

/** The index entries that one transaction writes. */
export interface IndexStep {
  readonly entries: readonly KeyEntry[]
  /**
   * The position up to which the index contains the keys of all facts after this transaction. Undefined unless
   * this transaction writes the last entries of a round.
   */
  readonly indexedUpTo: number | undefined
}

interface Round {
  /** The idempotency keys of the round, sorted by stream and key like the index. */
  readonly entries: readonly KeyEntry[]
  readonly byName: ReadonlyMap<string, KeyEntry>
  readonly upTo: number
  /** The number of entries of the round that are already in the index. */
  written: number
}

interface RecentKeysLimits {
  /** A round begins when this number of keys is missing from the index. */
  readonly keys: number
  /** A round begins when this number of facts comes after the last indexed position. */
  readonly facts: number
}

/** The limits also bound the number of facts that the writer reads again when it starts. */
const defaultLimits: RecentKeysLimits = { keys: 16_384, facts: 65_536 }

const minStep = 64

/**
 * The idempotency keys of the latest facts, which are not in the index `append_keys` yet. The facts contain their
 * keys, so the writer reads the keys from the facts when it starts.
 *
 * A single new key changes one page at a random location in the index. When thousands of keys are written in index
 * order, many keys share a page. Keys are therefore written to the index in rounds. The transaction of each group
 * writes some keys of the round.
 */
export class RecentKeys {
  private recent = new Map<string, KeyEntry>()
  private ofGroup: string[] = []
  private round: Round | undefined
  private step: IndexStep = nothing

  /** `indexedUpTo` is the position up to which the index contains the keys of all facts. */
  constructor(
    private indexedUpTo: number,
    private readonly limits = defaultLimits,
  ) {}

  find(streamId: number, key: Buffer): KeyedRange | undefined {
    const name = nameOf(streamId, key)
    return this.recent.get(name) ?? this.round?.byName.get(name)
  }

  /** Adds the idempotency key of an append in the current group. `failed` removes the key again. */
  add(entry: KeyEntry): void {
    const name = nameOf(entry.streamId, entry.key)
    this.recent.set(name, entry)
    this.ofGroup.push(name)
  }

  /** Adds the idempotency keys of facts that are already in the file. */
  restore(entries: Iterable<KeyEntry>): void {
    for (const entry of entries) this.recent.set(nameOf(entry.streamId, entry.key), entry)
  }

  /**
   * Returns the index entries for the next transaction. `head` is the newest durable position, and `appends`
   * is the number of appends in the group.
   */
  nextStep(head: number, appends: number): IndexStep {
    const isDue =
      this.recent.size >= this.limits.keys || head - this.indexedUpTo >= this.limits.facts
    if (this.round === undefined && isDue) this.beginRound(head)
    // Writes twice as many keys as the group can add, so that a round ends before the next round is due.
    this.step = this.stepOf(Math.max(minStep, 2 * appends))
    return this.step
  }

  /**
   * Returns the index entries of all keys that are not in the index. Use it for a transaction without appends.
   */
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

  /**
   * Removes the keys of the current group. Call it after a rollback. The next call of `nextStep` returns the
   * same index entries again.
   */
  failed(): void {
    for (const name of this.ofGroup) this.recent.delete(name)
    this.ofGroup = []
    this.step = nothing
  }

  /** Removes all idempotency keys of a stream, including keys of the current round. */
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

/**
 * Compares entries in index order. Keys of one stream are compared only by their first four bytes, because keys
 * that share these bytes are rare.
 */
function byStreamAndKey(left: KeyEntry, right: KeyEntry): number {
  return left.streamId - right.streamId || left.key.readUInt32BE() - right.key.readUInt32BE()
}
