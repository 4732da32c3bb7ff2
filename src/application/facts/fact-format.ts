import type { EntityFact } from '../../domain/facts.js'
import { timestampOf } from '../../domain/timestamp.js'
import { factTable, meaningOf, type Fact, type FactName } from './fact-table.js'
import { metadataText, type FactContext } from './metadata.js'
import { NewerSchemaVersion, type StoredFact, UnreadableFact } from './stored-fact.js'

/** Returns the stored form of a fact. */
export function toStored(fact: Fact, context: FactContext): StoredFact {
  const { id, type, data } = fact
  return {
    id,
    type,
    data: JSON.stringify(data),
    metadata: metadataText(factTable[type].writtenVersion(data), context),
  }
}

/** Reads a fact. Returns undefined for an unknown type. Throws `NewerSchemaVersion` and `UnreadableFact`. */
export function readFact(stored: StoredFact): Fact | undefined {
  return isFactName(stored.type) ? factTable[stored.type].read(stored) : undefined
}

/** Reads a fact about an entity. Throws `UnreadableFact` for any other fact, and the errors of `readFact`. */
export function readEntityFact(stored: StoredFact): EntityFact {
  const fact = readFact(stored)
  const entity = fact && meaningOf(fact).entity
  if (entity === undefined) throw new UnreadableFact(`fact ${stored.id} is not about an entity`)
  return entity
}

export function isFactName(type: string): type is FactName {
  return Object.hasOwn(factTable, type)
}

/** Returns whether a removal can skip the fact, because it contains no data of an entity. */
export function isErased({ type }: StoredFact): boolean {
  return type === factTable.FactErased.type || type === factTable.EntityErased.type
}

/** An instant that is earlier than the time of every fact. */
const beforeAll = timestampOf(new Date(0))

/**
 * Returns the redacted placeholder of a removed fact. The placeholder has the fact's id and time of
 * recording, so log time stays the same. An unreadable fact has not changed log time, so its
 * placeholder has the earliest time. `requestId` is the id of the request that erased the fact.
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
