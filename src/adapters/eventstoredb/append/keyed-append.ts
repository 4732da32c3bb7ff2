import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal, StreamErased, isRefused } from '../../../application/ports/refusal.js'
import { reasonOf, refusalOf, unavailable } from '../client/answer.js'
import { maxCreationLength, receiptOf, type KeyedFacts } from './keyed-creation.js'
import { idempotencyWindow, type KeyedRun, type IdempotencyIndex } from './idempotency-index.js'
import type { ReadRange } from './connection.js'
import type { StreamAccess } from './stream-access.js'

/**
 * Adds to an existing stream, once under its key.
 *
 * The exact revision decides: the stream is read up to revision N without finding the key, and the
 * append expects N, so it can land only directly after N. Nothing is read when the store has confirmed
 * N since the append came: by a read, or by storing another append of ours. *Wrong* means that others wrote there:
 * read what came since, look for the key, else try at the new revision. *Unknown* means: the same
 * facts under the same ids at the same revision again. If they are there, the store knows them by
 * revision and id and gives their receipt, after a restart and on another leader too.
 */
export class KeyedAppend {
  /** An attempt of ours at the cached head has no answer. */
  private outcomeUnknown = false
  /** The head that a refusal named, until a read gets there: the facts between may carry the key. */
  private named: bigint | undefined

  /** The key is not in the stream up to the cached head: without this no attempt is made there. */
  private looked = false

  constructor(
    private readonly wanted: KeyedFacts,
    private readonly access: StreamAccess,
    private readonly index: IdempotencyIndex,
    /** When the append came, as `performance.now` counts. */
    private readonly cameAt: number,
  ) {}

  /** Rejects as `EventStore.append` does. */
  async run(): Promise<Receipt> {
    const found = await this.lookUp()
    if (found !== undefined) return found
    while (!this.access.timeIsUp()) {
      const { head } = this.index
      const ready = this.looked && head !== undefined
      const receipt = ready ? await this.attempt(head) : await this.lookAgain()
      if (receipt !== undefined) return receipt
    }
    if (this.mayBeStored()) throw new Refusal('outcome_unknown', 'no answer in time')
    throw new Refusal('overloaded', 'every attempt lost to another one until the time was up')
  }

  /** What is stored under the key: writes nothing. Rejects as `EventStore.append` does under `stored`. */
  async find(): Promise<Receipt> {
    const found = await this.lookUp().catch((error: unknown) => {
      if (isRefused(error, 'stream_missing')) return undefined
      throw error
    })
    if (found === undefined) throw new Refusal('not_stored', 'nothing is stored under the key')
    return found
  }

  private async attempt(head: bigint): Promise<Receipt | undefined> {
    const { facts, key } = this.wanted
    const begunAt = performance.now()
    const answer = await this.access.append(head, facts)
    switch (answer.kind) {
      case 'stored':
        this.index.extend(key, facts.length, answer.position)
        this.index.confirm(begunAt)
        return { position: String(answer.position), facts, replayed: false }
      case 'wrong':
        return this.beaten(head, answer.actual)
      case 'deleted':
        throw this.access.removed('stream_missing')
      case 'too_large':
        throw refusalOf(answer)
      case 'refused':
        if (!this.mayBeStored()) throw refusalOf(answer)
        await this.access.pause()
        return undefined
      case 'unknown':
        this.outcomeUnknown = true
        await this.access.pause()
        return undefined
    }
  }

  /** Whether the stream may hold facts of this key that were not read. */
  private mayBeStored(): boolean {
    return this.outcomeUnknown || this.named !== undefined || !this.looked
  }

  /** Others wrote first. Their facts may be readable a little later than the refusal says. */
  private async beaten(head: bigint, actual: bigint | undefined): Promise<Receipt | undefined> {
    this.outcomeUnknown = false
    this.named = actual
    this.index.doubt()
    if (actual === undefined || actual < head) this.index.reset()
    return this.lookAgain()
  }

  private async lookAgain(): Promise<Receipt | undefined> {
    try {
      const found = await this.lookUp()
      if (found === undefined && this.named !== undefined) await this.access.pause()
      return found
    } catch (error) {
      if (!isRefused(error, 'store_unavailable')) throw error
      await this.access.pause()
      return undefined
    }
  }

  /** The receipt of what is stored under the key, in what is visible of the stream. */
  private async lookUp(): Promise<Receipt | undefined> {
    const { key } = this.wanted
    this.looked = false
    if (!this.index.isConfirmedSince(this.cameAt)) await this.readOn()
    if (this.index.head === undefined) throw new Refusal('stream_missing', 'the stream is missing')
    if (this.named !== undefined && this.index.head >= this.named) this.named = undefined
    const run = this.index.runOf(key)
    const found = run === undefined ? await this.receiptOfOlder() : await this.receiptOfRun(run)
    this.looked = found === undefined
    return found
  }

  /** The receipt of what was stored before the latest facts, which are in the index. */
  private async receiptOfOlder(): Promise<Receipt | undefined> {
    if (this.index.oldest?.revision === 0n) return this.receiptOfCreation()
    const { key } = this.wanted
    const lookup = await this.access.findKey(key)
    switch (lookup.kind) {
      case 'none':
        return this.receiptOfCreation()
      case 'silent':
        throw new Refusal(
          'store_unavailable',
          `the read model does not answer: a key may be older than the latest ${String(idempotencyWindow)} facts`,
        )
      case 'looked': {
        const { stored, upTo } = lookup
        // What was stored before the stream began is of an erased one, who had the name.
        const isOurs = stored !== undefined && BigInt(stored.position) >= (await this.begun())
        return isOurs ? stored : this.receiptOfFactsSince(upTo)
      }
    }
  }

  /** The position of the first fact. */
  private async begun(): Promise<bigint> {
    return (await this.first())?.position ?? 0n
  }

  /** It is read once. */
  private async first(): Promise<IdempotencyIndex['first']> {
    if (this.index.first === undefined) {
      const [found] = (await this.read({ from: 'start', maxCount: 1 })) ?? []
      this.index.first = found
    }
    return this.index.first
  }

  /** The receipt of facts after a position that are older than those in the index. */
  private async receiptOfFactsSince(position: bigint): Promise<Receipt | undefined> {
    const { key } = this.wanted
    let { oldest } = this.index
    while (oldest !== undefined && oldest.position > position && oldest.revision > 0n) {
      const from = oldest.revision - BigInt(idempotencyWindow)
      const range = {
        from: from < 0n ? 0n : from,
        maxCount: Number(from < 0n ? oldest.revision : BigInt(idempotencyWindow)),
      }
      const { revision } = oldest
      // A stream that was begun anew has none before its first, whatever is read from there.
      const older = (await this.read(range))?.filter((fact) => fact.revision < revision)
      const first = older?.find((fact) => fact.key === key)
      if (first !== undefined)
        return this.receiptOfRun({ first: first.revision, count: maxCreationLength })
      oldest = older?.[0]
    }
    return undefined
  }

  /** The key that began the stream is found for ever; the first fact is read once to know it. */
  private async receiptOfCreation(): Promise<Receipt | undefined> {
    if ((await this.first())?.key !== this.wanted.key) return undefined
    const stored = await this.readStored({ from: 'start', maxCount: maxCreationLength })
    return receiptOf(stored ?? [], this.wanted.key)
  }

  private async receiptOfRun(run: KeyedRun): Promise<Receipt | undefined> {
    const stored = await this.readStored({ from: run.first, maxCount: run.count })
    if (stored === undefined) throw new Refusal('stream_missing', 'the stream was deleted')
    return receiptOf(stored, this.wanted.key)
  }

  /**
   * Reads what came since. At the revision of an `EntityErased` nothing is appended, which would begin the
   * stream again: it is deleted in a moment.
   */
  private async readOn(): Promise<void> {
    await this.readNew()
    while (this.index.isErased) {
      if (this.access.timeIsUp())
        throw new Refusal('store_unavailable', 'the stream of a person who is being erased')
      await this.access.pause()
      this.index.reset()
      await this.readNew()
    }
  }

  /** When what came fills the idempotency window, only the latest facts. */
  private async readNew(): Promise<void> {
    const { head } = this.index
    const begunAt = performance.now()
    if (head !== undefined) {
      const facts = await this.readOnceReadable({ from: head + 1n, maxCount: idempotencyWindow })
      if (facts === undefined) throw new Refusal('stream_missing', 'the stream was deleted')
      const [next] = facts
      // It was deleted and begun anew: nothing that is indexed is in it.
      if (next !== undefined && next.revision > head + 1n) this.index.reset()
      this.index.add(facts)
      this.index.confirm(begunAt)
      if (facts.length < idempotencyWindow) return
    }
    const latest = await this.readOnceReadable({ from: 'end', maxCount: idempotencyWindow })
    this.index.restart(latest ?? [])
    this.index.confirm(begunAt)
  }

  /** A stream that was begun anew reads as missing for a moment longer. */
  private async readOnceReadable(range: ReadRange) {
    for (;;) {
      const facts = await this.read(range)
      if (facts !== undefined || !this.index.mayBeUnreadable) return facts
      if (this.access.timeIsUp())
        throw new Refusal('store_unavailable', 'the stream cannot be read yet')
      await this.access.pause()
    }
  }

  /** The key is in the stream: its facts are stored, also when they cannot be read now. */
  private async readStored(range: ReadRange) {
    for (;;) {
      try {
        return await this.access.read(range)
      } catch (error) {
        if (error instanceof StreamErased) throw error
        if (this.access.timeIsUp())
          throw new Refusal('outcome_unknown', reasonOf(error), { cause: error })
        await this.access.pause()
      }
    }
  }

  private async read(range: ReadRange) {
    try {
      return await this.access.read(range)
    } catch (error) {
      throw error instanceof StreamErased ? error : unavailable(error)
    }
  }
}
