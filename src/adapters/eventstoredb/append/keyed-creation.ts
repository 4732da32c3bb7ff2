import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { refusalOf } from '../client/answer.js'
import type { RecordedFact } from './connection.js'
import type { StreamAccess } from './stream-access.js'

/** Facts to store once under their idempotency key. */
export interface KeyedFacts {
  readonly key: string
  readonly facts: readonly StoredFact[]
}

/**
 * Creates a stream, once per idempotency key. After the answer `unknown`, sends the same facts
 * again with the same ids, which the store recognises. The answer `wrong` means that the stream
 * exists; the idempotency key of its first fact then shows whether this request created it.
 */
export async function keyedCreation(wanted: KeyedFacts, access: StreamAccess): Promise<Receipt> {
  const { facts, key } = wanted
  let outcomeUnknown = false
  do {
    const answer = await access.append('no_stream', facts)
    switch (answer.kind) {
      case 'stored':
        return { position: String(answer.position), facts, replayed: false }
      case 'wrong': {
        const first = await firstOf(access, key)
        if (first !== undefined) return decide(first, key)
        outcomeUnknown = true
        break
      }
      case 'deleted':
        throw access.removed('stream_removed')
      case 'too_large':
        throw refusalOf(answer)
      case 'refused':
        if (!outcomeUnknown) throw refusalOf(answer)
        break
      case 'unknown':
        outcomeUnknown = true
        break
    }
    await access.pause()
  } while (!access.timeIsUp())
  throw new Refusal('outcome_unknown', 'no answer in time')
}

type Placed = Awaited<ReturnType<StreamAccess['read']>>

/**
 * Reads the start of the stream. If the first fact has this idempotency key, also reads the facts
 * that may belong to the same append. Returns undefined while the stream is not readable.
 */
async function firstOf(access: StreamAccess, key: string): Promise<Placed> {
  try {
    const first = await access.read({ from: 'start', maxCount: 1 })
    if (first === undefined || first.length === 0) return undefined
    if (first[0]?.key !== key) return first
    return await access.read({ from: 'start', maxCount: maxCreationLength })
  } catch {
    return undefined
  }
}

function decide(facts: NonNullable<Placed>, key: string): Receipt {
  const receipt = receiptOf(facts, key)
  if (receipt === undefined) throw new Refusal('stream_exists', 'the stream exists')
  return receipt
}

/** A number of facts that is higher than the number that any creation appends. */
export const maxCreationLength = 100

/**
 * Returns the result of the append that stored the first facts of the stream with this idempotency
 * key. Returns undefined when the first fact has another key.
 */
export function receiptOf(facts: readonly RecordedFact[], key: string): Receipt | undefined {
  const end = facts.findIndex((placed) => placed.key !== key)
  const run = end === -1 ? facts : facts.slice(0, end)
  const last = run.at(-1)
  if (last === undefined) return undefined
  return { position: String(last.position), facts: run.map(({ fact }) => fact), replayed: true }
}
