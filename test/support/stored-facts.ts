import { createHash, randomUUID } from 'node:crypto'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type { Append } from '../../src/application/recording/ports/event-store.js'

/** A fact of no meaning, as a store sees it. */
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

/** The append under a key, which its facts carry as the port asks. */
export function keyed(append: Append, key: string): Append {
  const hash = keyHash(key)
  const facts = append.facts.map((fact) => ({
    ...fact,
    metadata: JSON.stringify({ schemaVersion: 1, idempotencyKey: hash }),
  }))
  return { ...append, facts, key: hash }
}

/** The same facts once more, as another request brings them: under ids of its own. */
export function repeat(append: Append): Append {
  return { ...append, facts: append.facts.map((fact) => ({ ...fact, id: randomUUID() })) }
}
