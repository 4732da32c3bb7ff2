import { readFact } from '../../../../application/facts/fact-format.js'
import { instantOf } from '../../../../domain/timestamp.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { numberIn } from '../../file/row.js'
import type { FactsByPosition } from '../facts-by-position.js'

/** Log time at facts by their ids, in milliseconds since 1970, as the erasures of others say it. */
export function clockFloorsIn(db: Database, facts: FactsByPosition): ReadonlyMap<string, number> {
  const erased = prepareRows(
    db,
    'SELECT position FROM erased_entities WHERE position IS NOT NULL ORDER BY position',
  )
  const floors = new Map<string, number>()
  for (const row of erased.all()) {
    const logged = facts.find(numberIn(row) ?? 0)
    const fact = logged && readFact(logged)
    for (const { fact: id, at } of fact?.type === 'EntityErased' ? (fact.data.clock ?? []) : []) {
      floors.set(id, Math.max(instantOf(at), floors.get(id) ?? 0))
    }
  }
  return floors
}
