import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal } from '../../../application/ports/refusal.js'
import type { KeyedFacts } from './keyed-append.js'
import { maxCreationLength, receiptOf } from './receipt-of.js'
import type { StreamAccess } from './stream-access.js'

/**
 * Begins a stream, once under its key. *Unknown* means: the same facts under the same ids again, which
 * the store knows by id at the beginning of a stream. *Wrong* means that the stream exists: its first
 * fact says under which key.
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
        throw new Refusal('append_too_large', 'the store takes no append of this size')
      case 'refused':
        if (!outcomeUnknown) throw new Refusal('store_unavailable', answer.reason)
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
 * The first fact of the stream, and when it carries the key, those that may have come with it.
 * Undefined when they cannot be read yet.
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
