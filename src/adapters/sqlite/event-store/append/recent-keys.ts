/** First and last position of what was stored under a key. */
export interface KeyedRange {
  readonly first: number
  readonly last: number
}

/** A key of a stream, and what was stored under it. */
export interface KeyEntry extends KeyedRange {
  readonly streamId: number
  readonly key: Buffer
}

/** What is written of the index in one transaction. */
export interface IndexStep {
  readonly entries: readonly KeyEntry[]
  /** Given with the last entries of a round: the keys of all facts up to here are in the index. */
  readonly indexedUpTo: number | undefined
}

interface Round {
  /** By stream and key, as the index has them. */
  readonly entries: readonly KeyEntry[]
  readonly byName: ReadonlyMap<string, KeyEntry>
  readonly upTo: number
  /** How many of the entries are in the index. */
  written: number
}

interface RecentKeysLimits {
  /** The number of keys with which a round begins. */
  readonly keys: number
  /** A round begins, whatever the number of keys, when the index is this number of facts behind. */
  readonly facts: number
}

/** A start reads as many facts once more. */
const defaultLimits: RecentKeysLimits = { keys: 16_384, facts: 65_536 }

const minStep = 64

/**
 * The keys of the latest facts, which are not in the index `append_keys` yet: the facts hold them, so a
 * start finds them again. A new key belongs somewhere in the index and changes a page of it; thousands at
 * once, in the index's order, share pages. They go there in rounds, a step with each group of appends.
 */
export class RecentKeys {
  private recent = new Map<string, KeyEntry>()
  private ofGroup: string[] = []
  private round: Round | undefined
  private step: IndexStep = nothing

  /** `indexedUpTo`: the keys of all facts up to this position are in the index. */
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

  /** Adds the keys of facts that were found in the file. */
  restore(entries: Iterable<KeyEntry>): void {
    for (const entry of entries) this.recent.set(nameOf(entry.streamId, entry.key), entry)
  }

  /** What the next transaction is to write; `head`: the newest durable fact, `appends`: of its group. */
  nextStep(head: number, appends: number): IndexStep {
    const isDue =
      this.recent.size >= this.limits.keys || head - this.indexedUpTo >= this.limits.facts
    if (this.round === undefined && isDue) this.beginRound(head)
    // Twice as many as may come meanwhile: a round ends before the next one is due.
    this.step = this.stepOf(Math.max(minStep, 2 * appends))
    return this.step
  }

  /** All that is not in the index, for a transaction without appends. */
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

  /** The transaction is rolled back: its keys are not stored, its step is taken again. */
  failed(): void {
    for (const name of this.ofGroup) this.recent.delete(name)
    this.ofGroup = []
    this.step = nothing
  }

  /** The keys of a stream are no keys any more, wherever they wait. */
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

/** Nearly as the index has them: four bytes of a key distinguish it from its neighbours. */
function byStreamAndKey(left: KeyEntry, right: KeyEntry): number {
  return left.streamId - right.streamId || left.key.readUInt32BE() - right.key.readUInt32BE()
}
