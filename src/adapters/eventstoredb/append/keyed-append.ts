import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal, StreamErased, isRefused } from '../../../application/ports/refusal.js'
import { reasonOf, refusalOf, unavailable } from '../client/answer.js'
import { maxCreationLength, receiptOf, type KeyedFacts } from './keyed-creation.js'
import { idempotencyWindow, type KeyedRun, type IdempotencyIndex } from './idempotency-index.js'
import type { ReadRange } from './connection.js'
import type { StreamAccess } from './stream-access.js'

/**
 * Appends to an existing stream, once per idempotency key.
 *
 * The expected revision prevents duplicates. The stream is read up to revision N, and does not contain the key. The
 * append then expects N, so no unread fact can come between. The read is skipped when another answer of the store
 * has confirmed N since this append arrived.
 *
 * After the answer `wrong`, another writer was faster: its facts are read, the key is looked up, and the append is
 * tried at the new revision. After the answer `unknown`, the same facts are sent again with the same ids at the
 * same revision. The store recognises them by revision and id, and returns the first result. This also works after
 * a restart and on another leader.
 */
export class KeyedAppend {
  /** Whether an attempt at the current head got no answer. */
  private outcomeUnknown = false
  /**
   * The head that a refusal reported. Undefined when a read has reached that head. Until then, unread facts may
   * have the key.
   */
  private named: bigint | undefined

  /** Whether a lookup found that no fact up to the current head has the key. An attempt requires this. */
  private looked = false

  constructor(
    private readonly wanted: KeyedFacts,
    private readonly access: StreamAccess,
    private readonly index: IdempotencyIndex,
    /** The time at which the append arrived, by `performance.now`. */
    private readonly cameAt: number,
  ) {}

  /**
   * Stores the facts, or returns the earlier append result with this key. Rejects as `EventStore.append` does.
   */
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
    throw new Refusal('overloaded', 'other writers were faster at every attempt until the timeout')
  }

  /**
   * Returns the earlier append result with this key, and writes nothing. Rejects as `EventStore.append` does under
   * `stored`.
   */
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

  /** Returns whether the stream may contain unread facts with this key. */
  private mayBeStored(): boolean {
    return this.outcomeUnknown || this.named !== undefined || !this.looked
  }

  /**
   * Looks up the key again after another writer was faster. The facts of that writer can become readable slightly
   * after the refusal.
   */
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

  /** Returns the earlier append result with this key, among the facts that are readable now. */
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

  /** Returns the earlier append result with this key, among facts older than the index. */
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
          `the read model does not answer: the idempotency key may belong to a fact older than the latest ${String(idempotencyWindow)}`,
        )
      case 'looked': {
        const { stored, upTo } = lookup
        // An append before the stream's first fact belongs to an erased entity, which used the same stream name.
        const isOurs = stored !== undefined && BigInt(stored.position) >= (await this.begun())
        return isOurs ? stored : this.receiptOfFactsSince(upTo)
      }
    }
  }

  /** Returns the position of the stream's first fact. */
  private async begun(): Promise<bigint> {
    return (await this.first())?.position ?? 0n
  }

  /** Returns the first fact of the stream. Reads it once and keeps it. */
  private async first(): Promise<IdempotencyIndex['first']> {
    if (this.index.first === undefined) {
      const [found] = (await this.read({ from: 'start', maxCount: 1 })) ?? []
      this.index.first = found
    }
    return this.index.first
  }

  /**
   * Returns the earlier append result with this key, among facts after `position` that are older than the index.
   */
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
      // Drops later facts. In a restarted stream, a read before the first fact returns facts from the first one on.
      const older = (await this.read(range))?.filter((fact) => fact.revision < revision)
      const first = older?.find((fact) => fact.key === key)
      if (first !== undefined)
        return this.receiptOfRun({ first: first.revision, count: maxCreationLength })
      oldest = older?.[0]
    }
    return undefined
  }

  /**
   * Returns the append result of the stream's first append, if that one has this key. The creation of an entity is
   * found at any age.
   */
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
   * Reads new facts. Repeats this while the stream ends with an `EntityErased`: such a stream is about to be
   * deleted, and an append would start it again.
   */
  private async readOn(): Promise<void> {
    await this.readNew()
    while (this.index.isErased) {
      if (this.access.timeIsUp())
        throw new Refusal('store_unavailable', 'the entity of the stream is being erased')
      await this.access.pause()
      this.index.reset()
      await this.readNew()
    }
  }

  /** Reads new facts. Reads only the latest facts when the new ones fill the idempotency window. */
  private async readNew(): Promise<void> {
    const { head } = this.index
    const begunAt = performance.now()
    if (head !== undefined) {
      const facts = await this.readOnceReadable({ from: head + 1n, maxCount: idempotencyWindow })
      if (facts === undefined) throw new Refusal('stream_missing', 'the stream was deleted')
      const [next] = facts
      // The stream was deleted and restarted, so the indexed facts are no longer in it.
      if (next !== undefined && next.revision > head + 1n) this.index.reset()
      this.index.add(facts)
      this.index.confirm(begunAt)
      if (facts.length < idempotencyWindow) return
    }
    const latest = await this.readOnceReadable({ from: 'end', maxCount: idempotencyWindow })
    this.index.restart(latest ?? [])
    this.index.confirm(begunAt)
  }

  /** Reads the stream. A restarted stream may read as missing for a short time, so the read is retried. */
  private async readOnceReadable(range: ReadRange) {
    for (;;) {
      const facts = await this.read(range)
      if (facts !== undefined || !this.index.mayBeUnreadable) return facts
      if (this.access.timeIsUp())
        throw new Refusal('store_unavailable', 'the stream cannot be read yet')
      await this.access.pause()
    }
  }

  /**
   * Reads facts that are known to be stored with this key. Retries a failed read, because a final refusal would be
   * wrong.
   */
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
