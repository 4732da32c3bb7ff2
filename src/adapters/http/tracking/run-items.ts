import { setTimeout as pause } from 'node:timers/promises'
import type { BatchItem, RunBatch } from '../../../application/recording/run-batch.js'
import { isRefused, Refusal } from '../../../application/ports/refusal.js'
import type { UseCases } from '../../../application/use-cases.js'
import { faultOf } from '../errors/fault-of.js'
import { keyOfMessage, type TrackedItem } from './tracked-item.js'
import { answerMs, beginMs, leastMs, lookMs, roomMs } from './tracking-limits.js'

/** What became of an item: whether all of it was stored before, or the error. */
export type ItemOutcome = PromiseSettledResult<{ readonly replayed: boolean }>

const tooLate = new Refusal('overloaded', 'there was no room for this item in time')
const notTried = new Refusal('store_unavailable', 'an item with a messageId comes first')
const noAnswer = new Refusal('outcome_unknown', 'the store did not answer in time')

/** Items of one request on their way into the store, and when it is to be answered. */
export class ItemsRun {
  private readonly outcomes: ItemOutcome[]
  private readonly begun = new Set<number>()
  private isOver = false

  constructor(
    private readonly items: readonly TrackedItem[],
    private readonly useCases: Pick<UseCases, 'recordEvent' | 'updateEntity' | 'runBatch'>,
    private readonly requestId: string,
    /** When the head of the request had come, on the clock of `performance.now`. */
    private readonly arrivedAt: number,
  ) {
    this.outcomes = new Array<ItemOutcome>(items.length)
  }

  /**
   * What became of each item when all are settled or the time is over, which may be long before the store
   * says it: what has not begun then never begins.
   */
  async run(): Promise<readonly ItemOutcome[]> {
    const end = new AbortController()
    try {
      await Promise.race([this.runAll(), this.timeIsOver(end.signal)])
    } finally {
      end.abort()
    }
    this.isOver = true
    return this.items.map(
      (_item, index) => this.outcomes[index] ?? refused(this.begun.has(index) ? noAnswer : tooLate),
    )
  }

  /** Items without an id come last, and only where the request need not be sent again for another one. */
  private async runAll(): Promise<void> {
    const indexes = [...this.items.keys()]
    const isKeyed = (index: number) => this.items[index]?.messageId !== undefined
    await this.runSome(indexes.filter(isKeyed))
    const keyless = indexes.filter((index) => !isKeyed(index))
    if (keyless.length === 0) return
    if (this.outcomes.some((outcome) => mayBeStoredLater(outcome))) {
      for (const index of keyless) this.outcomes[index] = refused(notTried)
      return
    }
    await this.runSome(keyless)
  }

  private async runSome(indexes: readonly number[]): Promise<void> {
    const ready = indexes.flatMap((index): readonly BatchItem<{ readonly replayed: boolean }>[] => {
      const item = this.items[index]
      return item === undefined
        ? []
        : [{ entity: item.entity, run: () => this.runOne(item, index) }]
    })
    const waited = performance.now() - this.arrivedAt
    const timeoutMs = Math.max(beginMs, waited + leastMs)
    const runBatch: RunBatch = this.useCases.runBatch
    const settled = await runBatch(ready, waited, timeoutMs)
    if (this.isOver) return
    for (const [at, index] of indexes.entries()) {
      const outcome = settled[at]
      if (outcome !== undefined) this.outcomes[index] = outcome
    }
  }

  private async runOne(item: TrackedItem, index: number) {
    if (this.isOver) throw tooLate
    this.begun.add(index)
    const context = {
      requestId: this.requestId,
      idempotencyKey: keyOfMessage(item.messageId),
      formerEntity: item.formerEntity,
    }
    let replayed = true
    for (const write of item.writes) {
      const { entity, occurredAt } = item
      const stored = await this.whenThereIsRoom<{ readonly replayed: boolean }>(() =>
        'set' in write
          ? this.useCases.updateEntity({
              ...context,
              externalId: entity,
              set: write.set,
              unset: [],
              upsert: true,
            })
          : this.useCases.recordEvent({
              ...context,
              ...write,
              entityExternalId: entity,
              occurredAt,
              upsert: true,
            }),
      )
      replayed &&= stored.replayed
    }
    const outcome = { replayed }
    // Known at once: the others of the batch may take longer than there is time.
    this.outcomes[index] = { status: 'fulfilled', value: outcome }
    return outcome
  }

  /** Overload passes: it is waited for here, since some SDKs do not wait long enough. */
  private async whenThereIsRoom<T>(send: () => Promise<T>): Promise<T> {
    const until = performance.now() + roomMs
    for (;;) {
      try {
        return await send()
      } catch (error) {
        const isOver = this.isOver || performance.now() >= until
        if (!isRefused(error, 'overloaded') || isOver) throw unlessMistake(error)
        await pause(lookMs)
      }
    }
  }

  /** Resolves when the request is to be answered: soon where not even one item has found room. */
  private async timeIsOver(signal: AbortSignal): Promise<void> {
    const options = { signal, ref: false }
    try {
      await pause(roomMs, undefined, options)
      if (this.begun.size === 0) return
      const waited = performance.now() - this.arrivedAt
      await pause(Math.max(answerMs - waited, 0), undefined, options)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

function refused(reason: unknown): ItemOutcome {
  return { status: 'rejected', reason }
}

function mayBeStoredLater(outcome: ItemOutcome | undefined): boolean {
  return outcome?.status === 'rejected' && faultOf(outcome.reason).status >= 500
}

/** A mistake of ours may be one after the facts were stored: nobody knows. */
function unlessMistake(error: unknown): unknown {
  if (faultOf(error).status !== 500) return error
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Refusal('outcome_unknown', reason, { cause: error })
}
