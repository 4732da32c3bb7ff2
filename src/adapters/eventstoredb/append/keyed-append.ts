import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal, StreamErased, isRefused } from '../../../application/ports/refusal.js'
import { reasonOf, refusalOf, unavailable } from '../client/answer.js'
import { maxCreationLength, receiptOf, type KeyedFacts } from './keyed-creation.js'
import { idempotencyWindow, type KeyedRun, type IdempotencyIndex } from './idempotency-index.js'
import type { ReadRange } from './connection.js'
import type { StreamAccess } from './stream-access.js'

/**
 * Appends to an existing stream, once per key.
 *
 * The expected revision prevents duplicates. The stream is read up to revision N without finding
 * the key. The append then expects N, so it can land only directly after N. The read is unnecessary
 * if the store has confirmed N since the append arrived, by a read or by storing another append of
 * this process.
 *
 * After the answer *wrong*, other facts were written: the new facts are read, the key is looked up,
 * and the append is tried at the new revision. After the answer *unknown*, the same facts are sent
 * again with the same ids at the same revision. The store recognises stored facts by revision and
 * id, and returns their first result. This also works after a restart and on another leader.
 */
export class KeyedAppend {
  /** Whether an attempt at the cached head has no answer. */
  private outcomeUnknown = false
  /**
   * The head that a refusal named, until a read reaches that head. Unread facts up to that head may
   * carry the key.
   */
  private named: bigint | undefined

  /**
   * Whether the key was looked up and is absent up to the cached head. Only then may an attempt
   * follow.
   */
  private looked = false

  constructor(
    private readonly wanted: KeyedFacts,
    private readonly access: StreamAccess,
    private readonly index: IdempotencyIndex,
    /** The arrival time of the append, in `performance.now` time. */
    private readonly cameAt: number,
  ) {}

  /**
   * Stores the facts, or returns the earlier result under the key. Rejects as `EventStore.append`
   * does.
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
    throw new Refusal('overloaded', 'every attempt lost to another one until the time was up')
  }

  /**
   * The earlier result under the key; writes nothing. Rejects as `EventStore.append` does under
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

  /** Whether the stream may hold unread facts of this key. */
  private mayBeStored(): boolean {
    return this.outcomeUnknown || this.named !== undefined || !this.looked
  }

  /**
   * Handles a lost race. The facts of the winner may become readable slightly after the refusal.
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

  /** The earlier result under the key, as far as the stream is readable. */
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

  /** The earlier result under the key, from facts older than the index. */
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
        // An older append belongs to an erased entity that used the stream's name before.
        const isOurs = stored !== undefined && BigInt(stored.position) >= (await this.begun())
        return isOurs ? stored : this.receiptOfFactsSince(upTo)
      }
    }
  }

  /** The position of the first fact of the stream. */
  private async begun(): Promise<bigint> {
    return (await this.first())?.position ?? 0n
  }

  /** The first fact of the stream, which is read only once. */
  private async first(): Promise<IdempotencyIndex['first']> {
    if (this.index.first === undefined) {
      const [found] = (await this.read({ from: 'start', maxCount: 1 })) ?? []
      this.index.first = found
    }
    return this.index.first
  }

  /**
   * The earlier result under the key, from facts after `position` that are older than the index.
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
      // In a restarted stream, a read before the first fact returns later facts. Such facts are
      // dropped.
      const older = (await this.read(range))?.filter((fact) => fact.revision < revision)
      const first = older?.find((fact) => fact.key === key)
      if (first !== undefined)
        return this.receiptOfRun({ first: first.revision, count: maxCreationLength })
      oldest = older?.[0]
    }
    return undefined
  }

  /**
   * The earlier result under the key of the first append, which is found at any age. The first fact
   * is read once to learn its key.
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
   * Reads new facts until the stream is not being erased. An append at the revision of an
   * `EntityErased` would begin the stream again, because the stream is about to be deleted.
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
   * Reads new facts. When the new facts fill the idempotency window, reads only the latest facts.
   */
  private async readNew(): Promise<void> {
    const { head } = this.index
    const begunAt = performance.now()
    if (head !== undefined) {
      const facts = await this.readOnceReadable({ from: head + 1n, maxCount: idempotencyWindow })
      if (facts === undefined) throw new Refusal('stream_missing', 'the stream was deleted')
      const [next] = facts
      // The stream was deleted and began again, so none of the indexed facts is in the stream.
      if (next !== undefined && next.revision > head + 1n) this.index.reset()
      this.index.add(facts)
      this.index.confirm(begunAt)
      if (facts.length < idempotencyWindow) return
    }
    const latest = await this.readOnceReadable({ from: 'end', maxCount: idempotencyWindow })
    this.index.restart(latest ?? [])
    this.index.confirm(begunAt)
  }

  /**
   * Reads the stream. A restarted stream reads as missing for a short time, so the read is retried.
   */
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
   * Reads facts that are stored under the key. A failed read is retried: a definite refusal would
   * be wrong, because the facts are stored.
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
