import { isFactName, readFact, toStored } from './fact-format.js'
import { factTable, meaningOf } from './fact-table.js'
import type { StoredFact } from './stored-fact.js'
import { UnreadableFact } from './unreadable-fact.js'

/** Whether a removal has nothing to do with it: it has no data of a person. */
export function isErased({ type }: StoredFact): boolean {
  return type === factTable.FactErased.type || type === factTable.EntityErased.type
}

/**
 * What stands in the place of a removed fact: its id, and the instant that it was recorded at, so that log
 * time stays. `requestId`: of the request that erased it. Throws `UnreadableFact`.
 */
export function erasedFact(removed: StoredFact, requestId: string): StoredFact {
  const fact = isFactName(removed.type) ? readFact(removed) : undefined
  const at = fact && meaningOf(fact).recordedAt
  if (at === undefined) throw new UnreadableFact(`fact ${removed.id} is of no entity's stream`)
  return toStored(
    { id: removed.id, type: 'FactErased', data: { at } },
    { requestId, keyHash: undefined },
  )
}
