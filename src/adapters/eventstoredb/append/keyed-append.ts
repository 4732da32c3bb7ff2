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
 * The expected revision prevents duplicates. First, the stream is read up to its last revision N,
 * and the idempotency key is not found. The append then expects revision N, so the store refuses it
 * when the stream contains a fact that was not read. The read is skipped when another answer of the
 * store has confirmed N since this append arrived.
 *
 * The answer `wrong` means that another process appended to the stream. The new facts are read, the
 * key is looked up again, and the append is retried at the new revision. After the answer
 * `unknown`, the same facts are sent again with the same ids at the same revision. The store
 * recognises them by revision and id, and returns the first result. The store recognises them also
 * after a restart and on another leader.
 */
export class KeyedAppend {
  /** Whether an attempt at the current `head` of the index got no answer. */
  private outcomeUnknown = false
  /**
   * The last revision of the stream that a refusal reported. Undefined once a read has reached that
   * revision. Until then, a fact that was not read may have the idempotency key.
   */
  private named: bigint | undefined

  /**
   * Whether a lookup found that no fact up to the current `head` of the index has the idempotency
   * key. An attempt to append requires this.
   */
  private looked = false

  constructor(
    private readonly wanted: KeyedFacts,
    private readonly access: StreamAccess,
    private readonly index: IdempotencyIndex,
    /** The time at which the append arrived, by `performance.now`. */
    private readonly cameAt: number,
  ) {}

  /**
   * Stores the facts, or returns the append result that was stored with this idempotency key.
   * Rejects as `EventStore.append` does.
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
   * Returns the append result that was stored with this idempotency key, and writes nothing.
   * Rejects as `EventStore.append` does when `stored` is expected.
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

  /** Returns whether the stream may contain facts with this idempotency key that were not read. */
  private mayBeStored(): boolean {
    return this.outcomeUnknown || this.named !== undefined || !this.looked
  }

  /**
   * Looks up the idempotency key again after another process appended to the stream. The facts of
   * that process can become readable slightly after the refusal of this append.
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

  /**
   * Returns the append result that was stored with this idempotency key, if its facts are readable
   * now.
   */
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

  /**
   * Returns the append result that was stored with this idempotency key, if its facts are older
   * than the indexed facts.
   */
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
        // Ignores an append at a position before the stream's first fact. That append belongs to an
        // erased entity, whose stream had the same name.
        const isOurs = stored !== undefined && BigInt(stored.position) >= (await this.begun())
        return isOurs ? stored : this.receiptOfFactsSince(upTo)
      }
    }
  }

  /** Returns the position of the stream's first fact; 0 when the stream has no readable fact. */
  private async begun(): Promise<bigint> {
    return (await this.first())?.position ?? 0n
  }

  /** Returns the first fact of the stream. Reads the fact once and keeps it in the index. */
  private async first(): Promise<IdempotencyIndex['first']> {
    if (this.index.first === undefined) {
      const [found] = (await this.read({ from: 'start', maxCount: 1 })) ?? []
      this.index.first = found
    }
    return this.index.first
  }

  /**
   * Returns the append result that was stored with this idempotency key. Searches only facts after
   * `position` that are older than the indexed facts.
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
      // Drops facts at or after the oldest indexed revision. In a restarted stream, a read that
      // starts below the first revision returns facts from the first revision on.
      const older = (await this.read(range))?.filter((fact) => fact.revision < revision)
      const first = older?.find((fact) => fact.key === key)
      if (first !== undefined)
        return this.receiptOfRun({ first: first.revision, count: maxCreationLength })
      oldest = older?.[0]
    }
    return undefined
  }

  /**
   * Returns the append result of the stream's first append, if that append has this idempotency
   * key. This finds the creation of an entity, however many facts follow it.
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
   * Reads new facts. Repeats the read while the stream ends with an `EntityErased`: the stream is
   * about to be deleted, and an append after the deletion would start the stream again.
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

  /**
   * Reads facts after the `head` of the index. If the new facts fill the idempotency window, reads
   * only the latest facts of the stream.
   */
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

  /** Reads the stream. Retries while a restarted stream reads as missing. */
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
   * Reads facts that are known to be stored with this idempotency key. Retries a failed read,
   * because a final refusal would be wrong.
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
