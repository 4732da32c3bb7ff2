import type { FastifyRequest } from 'fastify'
import type { FairTurns } from '../../../application/fair-turns.js'
import type { InPieces } from '../../../domain/in-pieces.js'

type Outcome<T> = PromiseSettledResult<T>

/** The items of one request, and what becomes of each. */
interface Items<Sent, Ready, T> {
  readonly sent: readonly Sent[]
  /** Throws why the item cannot run. */
  readonly read: (item: Sent) => Ready
  /** The outcomes of the items that can run, in their order. */
  readonly run: (ready: readonly Ready[]) => Promise<readonly Outcome<T>[]>
  /** Called with the outcome of each item, in the order of the items. */
  readonly add: (outcome: Outcome<T>, index: number) => void
}

/** Reads and answers the items one after another, a few in a turn of the key that sent them. */
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
