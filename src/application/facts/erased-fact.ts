import { timestampOf } from '../../domain/timestamp.js'
import { readFact, toStored } from './fact-format.js'
import { factTable, meaningOf } from './fact-table.js'
import type { StoredFact } from './stored-fact.js'
import { NewerSchemaVersion, UnreadableFact } from './unreadable-fact.js'

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
