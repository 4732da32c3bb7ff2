import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Receipt } from '../../../application/recording/ports/event-store.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { refusalOf } from '../client/answer.js'
import type { RecordedFact } from './connection.js'
import type { StreamAccess } from './stream-access.js'

/** Facts that are to be stored once under their key. */
export interface KeyedFacts {
  readonly key: string
  readonly facts: readonly StoredFact[]
}

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

/** More facts than any creation of ours has. */
export const maxCreationLength = 100

/** The receipt of what was stored under a key: the run of facts that carry it, from the first on. */
export function receiptOf(facts: readonly RecordedFact[], key: string): Receipt | undefined {
  const end = facts.findIndex((placed) => placed.key !== key)
  const run = end === -1 ? facts : facts.slice(0, end)
  const last = run.at(-1)
  if (last === undefined) return undefined
  return { position: String(last.position), facts: run.map(({ fact }) => fact), replayed: true }
}
