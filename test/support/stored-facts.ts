import { createHash, randomUUID } from 'node:crypto'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { Append } from '../../src/application/recording/ports/event-store.js'

/** Returns a fact without meaning, in the form of the store port. */
export function storedFact(
  data: object = { n: 1 },
  metadata: object = { schemaVersion: 1 },
): StoredFact {
  return {
    id: randomUUID(),
    type: 'EventRecorded',
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }
}

export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

export function creation(stream: string, ...facts: readonly StoredFact[]): Append {
  return { stream, expected: 'new', facts: facts.length > 0 ? facts : [storedFact()] }
}

export function addition(stream: string, ...facts: readonly StoredFact[]): Append {
  return { stream, expected: 'existing', facts: facts.length > 0 ? facts : [storedFact()] }
}

/** Returns the append with an idempotency key, which its facts contain as the port requires. */
export function keyed(append: Append, key: string): Append {
  const hash = keyHash(key)
  const facts = append.facts.map((fact) => ({
    ...fact,
    metadata: JSON.stringify({ schemaVersion: 1, idempotencyKey: hash }),
  }))
  return { ...append, facts, key: hash }
}

/** Returns the append with the same facts under new ids, as a repeated request would send it. */
export function repeat(append: Append): Append {
  return { ...append, facts: append.facts.map((fact) => ({ ...fact, id: randomUUID() })) }
}
