import { randomUUID } from 'node:crypto'
import type { EventStore } from '../../src/application/recording/ports/event-store.js'
import { creation } from '../support/stored-facts.js'

/** An append that the test holds open. */
export interface HeldAppend {
  /** Resolves when the append is held. */
  readonly reached: Promise<unknown>
  /** Whether appends to other streams wait until the release, as behind a lock. */
  readonly holdsUpOthers: boolean
  release(): void
}

/**
 * Holds the next append open. If the store assigns positions before the commit, the held append has its position
 * and is not committed. At that moment, positions could become wrong.
 */
export type HoldAppend = () => Promise<HeldAppend>

/**
 * Holds one append open, stores others in the meantime, and releases it. Returns a sentence about wrong positions,
 * or undefined when positions increase in the order of commits.
 */
export async function faultOfPositions(
  store: EventStore,
  holdAppend: HoldAppend,
): Promise<string | undefined> {
  const append = () => store.append(creation(`entity-${randomUUID()}`))
  const held = await holdAppend()
  try {
    const first = append()
    await Promise.race([held.reached, first])
    const others = Promise.all([append(), append()])
    const meanwhile = held.holdsUpOthers ? [] : await others
    held.release()
    const [{ position }] = await Promise.all([first, others])
    const later = meanwhile.find((other) => BigInt(other.position) > BigInt(position))
    return later === undefined ? undefined : sentenceOf(later.position, position)
  } finally {
    held.release()
  }
}

function sentenceOf(acknowledged: string, held: string): string {
  return (
    `an append was acknowledged at position ${acknowledged} while another one was open, which then ` +
    `committed at position ${held}: whoever had read up to ${acknowledged} never sees ${held}. Give ` +
    'positions in the order of commits (docs/adapters.md, "A store, step by step", step 2)'
  )
}
