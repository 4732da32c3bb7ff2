import type { EntityFact } from '../../domain/facts.js'
import { timestampOf } from '../../domain/timestamp.js'
import { factTable, meaningOf, type Fact, type FactName } from './fact-table.js'
import { metadataText, type FactContext } from './metadata.js'
import { NewerSchemaVersion, type StoredFact, UnreadableFact } from './stored-fact.js'

export const factNames: readonly string[] = Object.keys(factTable)

/** Converts a fact to its stored form, in the newest version of its type. */
export function toStored(fact: Fact, context: FactContext): StoredFact {
  const { id, type, data } = fact
  return {
    id,
    type,
    data: JSON.stringify(data),
    metadata: metadataText(factTable[type].version, context),
  }
}

/**
 * Reads a stored fact. Returns undefined for a type that this program does not know. Throws
 * `NewerSchemaVersion` and `UnreadableFact`.
 */
export function readFact(stored: StoredFact): Fact | undefined {
  return isFactName(stored.type) ? factTable[stored.type].read(stored) : undefined
}

/** Reads a fact about an entity. Throws `UnreadableFact` for other facts, and the errors of `readFact`. */
export function readEntityFact(stored: StoredFact): EntityFact {
  const fact = readFact(stored)
  const entity = fact && meaningOf(fact).entity
  if (entity === undefined) throw new UnreadableFact(`fact ${stored.id} is about no entity`)
  return entity
}

export function isFactName(type: string): type is FactName {
  return Object.hasOwn(factTable, type)
}

/** Whether the fact holds no data of an entity, so that a removal skips it. */
export function isErased({ type }: StoredFact): boolean {
  return type === factTable.FactErased.type || type === factTable.EntityErased.type
}

/** An instant before every log time. */
const beforeAll = timestampOf(new Date(0))

/**
 * The redacted placeholder of a removed fact: the same id and recording time, so that log time stays the
 * same. An unreadable fact gets a placeholder too, with the earliest time, because it never moved log time
 * here. `requestId` is the request that erased the fact.
 */
export function erasedFact(removed: StoredFact, requestId: string): StoredFact {
  const at = recordedAt(removed) ?? beforeAll
  return toStored(
    { id: removed.id, type: 'FactErased', data: { at } },
    { requestId, keyHash: undefined },
  )
}

function recordedAt(removed: StoredFact): string | undefined {
  try {
    const fact = readFact(removed)
    return fact && meaningOf(fact).recordedAt
  } catch (error) {
    if (error instanceof UnreadableFact || error instanceof NewerSchemaVersion) return undefined
    throw error
  }
}
