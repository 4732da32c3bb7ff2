import type { EntityFact } from '../../domain/facts.js'
import { timestampOf } from '../../domain/timestamp.js'
import { factTable, meaningOf, type Fact, type FactName } from './fact-table.js'
import { metadataText, type FactContext } from './metadata.js'
import { NewerSchemaVersion, type StoredFact, UnreadableFact } from './stored-fact.js'

export const factNames: readonly string[] = Object.keys(factTable)

/** The fact in the newest version of its type. */
export function toStored(fact: Fact, context: FactContext): StoredFact {
  const { id, type, data } = fact
  return {
    id,
    type,
    data: JSON.stringify(data),
    metadata: metadataText(factTable[type].version, context),
  }
}

/** Undefined: of no type of ours. Throws `NewerSchemaVersion` and `UnreadableFact`. */
export function readFact(stored: StoredFact): Fact | undefined {
  return isFactName(stored.type) ? factTable[stored.type].read(stored) : undefined
}

/** A fact of an entity. Throws as `readFact`, and `UnreadableFact` of any other one. */
export function readEntityFact(stored: StoredFact): EntityFact {
  const fact = readFact(stored)
  const entity = fact && meaningOf(fact).entity
  if (entity === undefined) throw new UnreadableFact(`fact ${stored.id} is about no entity`)
  return entity
}

export function isFactName(type: string): type is FactName {
  return Object.hasOwn(factTable, type)
}

/** Whether a removal has nothing to do with it: it has no data of a person. */
export function isErased({ type }: StoredFact): boolean {
  return type === factTable.FactErased.type || type === factTable.EntityErased.type
}

/** Log time is behind it everywhere. */
const beforeAll = timestampOf(new Date(0))

/**
 * What stands in the place of a removed fact: its id, and the instant that it was recorded at, so that log
 * time stays. One that cannot be read goes as well: it gave no log time to whoever reads it here.
 * `requestId`: of the request that erased it.
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
