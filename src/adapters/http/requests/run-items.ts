import type { FastifyRequest } from 'fastify'
import type { FairTurns } from '../../../application/fair-turns.js'
import type { InPieces } from '../../../domain/in-pieces.js'

type Outcome<T> = PromiseSettledResult<T>

/** The items of one request, and the functions that process them. */
interface Items<Sent, Ready, T> {
  readonly sent: readonly Sent[]
  /** Prepares an item. Throws the reason why an invalid item cannot run. */
  readonly read: (item: Sent) => Ready
  /** Runs the prepared items. Resolves with one outcome per item, in their order. */
  readonly run: (ready: readonly Ready[]) => Promise<readonly Outcome<T>[]>
  /** Receives the outcome of each item, in the order in which the items were sent. */
  readonly add: (outcome: Outcome<T>, index: number) => void
}

/**
 * Prepares the items, runs the valid items, and passes on the outcome of each item. Pauses between
 * items, so that requests of other API keys get their share of the CPU.
 */
export async function runItems<Sent, Ready, T>(
  { keyId }: FastifyRequest,
  turns: FairTurns,
  { sent, read, run, add }: Items<Sent, Ready, T>,
): Promise<void> {
  const outcomes = new Array<Outcome<T>>(sent.length)
  const ready: Ready[] = []
  const indexes: number[] = []
  const readAll = function* (): InPieces<void> {
    for (const [index, item] of sent.entries()) {
      try {
        ready.push(read(item))
        indexes.push(index)
      } catch (reason) {
        outcomes[index] = { status: 'rejected', reason }
      }
      yield
    }
  }
  await turns.run(keyId, readAll())
  const ran = await run(ready)
  for (const [at, index] of indexes.entries()) {
    const outcome = ran[at]
    if (outcome !== undefined) outcomes[index] = outcome
  }
  const addAll = function* (): InPieces<void> {
    for (const [index, outcome] of outcomes.entries()) {
      add(outcome, index)
      yield
    }
  }
  await turns.run(keyId, addAll())
}
