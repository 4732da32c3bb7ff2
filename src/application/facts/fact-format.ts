import type { EntityFact } from '../../domain/facts.js'
import { factTable, meaningOf, type Fact, type FactName } from './fact-table.js'
import { metadataText, type FactContext } from './metadata.js'
import type { StoredFact } from './stored-fact.js'
import { UnreadableFact } from './unreadable-fact.js'

/** The types of all facts that there are. */
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

/**
 * Undefined when it is of no type of ours. Throws `NewerSchemaVersion`, and `UnreadableFact` when its
 * text is not of its type and version.
 */
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

/** Whether facts of this type are ours. */
export function isFactName(type: string): type is FactName {
  return Object.hasOwn(factTable, type)
}
