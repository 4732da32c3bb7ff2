import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { FairTurns } from '../../../application/fair-turns.js'
import type { BatchItem, RunBatch } from '../../../application/recording/run-batch.js'
import { stackOf } from '../../../application/ports/log.js'
import { isRefused, Refusal } from '../../../application/ports/refusal.js'
import type { UseCases } from '../../../application/use-cases.js'
import { faultOf } from '../errors/fault-of.js'
import { keyOfMessage, type TrackedItem, type TrackedWrite } from './tracked-item.js'
import { answerMs, beginMs, leastMs, lookMs, roomMs } from './tracking-limits.js'

/**
 * The outcome of an item: an error, or whether an earlier request had already stored the whole
 * item.
 */
export type ItemOutcome = PromiseSettledResult<{ readonly replayed: boolean }>

const tooLate = new Refusal('overloaded', 'the item did not start within the time limit')
const notTried = new Refusal(
  'store_unavailable',
  'an item with a messageId must be sent again first',
)
const noAnswer = new Refusal('outcome_unknown', 'the store did not answer in time')

/** Stores the items of one request within the time limit of the reply. */
export class ItemsRun {
  private readonly outcomes: ItemOutcome[]
  private readonly begun: boolean[] = []
  private isOver = false

  constructor(
    private readonly items: readonly TrackedItem[],
    private readonly useCases: Pick<UseCases, 'recordEvent' | 'updateEntity' | 'runBatch'>,
    private readonly request: FastifyRequest,
    private readonly turns: FairTurns,
  ) {
    this.outcomes = new Array<ItemOutcome>(items.length)
  }

  /**
   * Runs the items. Resolves when all items have outcomes or the time is over. No item starts after
   * that.
   */
  async run(): Promise<readonly ItemOutcome[]> {
    let timer: NodeJS.Timeout | undefined
    const timeIsOver = new Promise<void>((resolve) => {
      // Ends the wait early if no item has started when this timer fires.
      timer = setTimeout(() => {
        const leftMs = answerMs - (performance.now() - this.request.arrivedAt)
        if (this.begun.length === 0) resolve()
        else timer = setTimeout(resolve, Math.max(leftMs, 0))
      }, roomMs)
    })
    await Promise.race([this.runAll(), timeIsOver])
    clearTimeout(timer)
    this.isOver = true
    return this.items.map(
      (_item, index) =>
        this.outcomes[index] ?? refused(this.begun[index] === true ? noAnswer : tooLate),
    )
  }

  /**
   * Runs items with a message id first. Runs items without a message id only when no other item has
   * to be sent again. Otherwise the retry of the request could store an item without a message id
   * twice.
   */
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
    const waitedMs = performance.now() - this.request.arrivedAt
    const timeoutMs = Math.max(beginMs, waitedMs + leastMs)
    const runBatch: RunBatch = this.useCases.runBatch
    const { turns, request } = this
    const options = { waitedMs, timeoutMs, owner: request.keyId, turns }
    const settled = await runBatch(ready, options)
    if (this.isOver) return
    for (const [at, index] of indexes.entries()) {
      const outcome = settled[at]
      if (outcome !== undefined) this.outcomes[index] = outcome
    }
  }

  private async runOne(item: TrackedItem, index: number) {
    if (this.isOver) throw tooLate
    this.begun[index] = true
    let replayed = true
    for (const write of item.writes) {
      const stored = await this.write(item, write).catch((error: unknown) =>
        this.again(item, write, error),
      )
      replayed &&= stored.replayed
    }
    const outcome = { replayed }
    // Records the outcome immediately, because the other items may exceed the time limit.
    this.outcomes[index] = { status: 'fulfilled', value: outcome }
    return outcome
  }

  private write(
    { entity, messageId, formerEntity, occurredAt, changedAt }: TrackedItem,
    write: TrackedWrite,
  ): Promise<{ readonly replayed: boolean }> {
    const { useCases } = this
    const { id: requestId, arrivedAt: cameAt } = this.request
    const idempotencyKey = keyOfMessage(messageId)
    // Uses no spread, because copying an object with a fractional number takes 5 µs.
    if ('set' in write) {
      return useCases.updateEntity({
        requestId,
        idempotencyKey,
        cameAt,
        externalId: entity,
        set: write.set,
        unset: noNames,
        occurredAt: changedAt,
        ignoresTime: true,
        formerEntity,
        upsert: true,
      })
    }
    const { name, properties, added } = write
    return useCases.recordEvent({
      requestId,
      idempotencyKey,
      cameAt,
      entityExternalId: entity,
      name,
      properties,
      added,
      occurredAt,
      upsert: true,
      formerEntity,
    })
  }

  /**
   * Retries an item while the store is overloaded, because some SDKs wait too briefly between their own retries.
   */
  private async again(item: TrackedItem, write: TrackedWrite, first: unknown) {
    const until = performance.now() + roomMs
    let error = first
    while (isRefused(error, 'overloaded') && !this.isOver && performance.now() < until) {
      await pause(lookMs)
      try {
        return await this.write(item, write)
      } catch (next) {
        error = next
      }
    }
    throw unlessMistake(error)
  }
}

const noNames: readonly string[] = []

function refused(reason: unknown): ItemOutcome {
  return { status: 'rejected', reason }
}

function mayBeStoredLater(outcome: ItemOutcome | undefined): boolean {
  return outcome?.status === 'rejected' && faultOf(outcome.reason).status >= 500
}

/**
 * Turns an internal error into an unknown outcome, because the error may have occurred after the
 * facts were stored.
 */
function unlessMistake(error: unknown): unknown {
  if (faultOf(error).status !== 500) return error
  return new Refusal('outcome_unknown', stackOf(error), { cause: error })
}
