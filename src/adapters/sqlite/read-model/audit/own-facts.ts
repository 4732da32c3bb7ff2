import { readEntityFact } from '../../../../application/facts/fact-format.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { EntityFact } from '../../../../domain/facts.js'
import { missing, type FactsByPosition } from '../facts-by-position.js'

/** A fact of one entity, as it is stored and as this version reads it. */
export interface OwnFact {
  readonly position: number
  readonly stored: StoredFact
  readonly fact: EntityFact
}

/** With bodies of 256 KiB, 8 MiB. */
export const factsAtOnce = 32

/** The facts at some positions, in the order of the positions given; a few are in memory at a time. */
export function* ownFacts(
  facts: FactsByPosition,
  positions: readonly number[],
): Generator<OwnFact, undefined> {
  for (let at = 0; at < positions.length; at += factsAtOnce) {
    const some = positions.slice(at, at + factsAtOnce)
    const found = facts.stored(some)
    for (const position of some) {
      const stored = found.get(position) ?? missing(position)
      yield { position, stored, fact: readEntityFact(stored) }
    }
  }
  return undefined
}
