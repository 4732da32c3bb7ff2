import { setImmediate as immediate } from 'node:timers/promises'
import { type Database, prepareAll } from '../../file/driver.js'
import { numberIn, valuesIn } from '../../file/row.js'
import { addDigest, digestOf, digestText } from '../segments/hashes.js'
import type { AuditedSegment } from './audited-segments.js'

const membersAtOnce = 5_000

export interface CountedMembers {
  readonly members: number
  readonly differences: readonly string[]
}

/** Counts the members of a segment, and adds up their digest. */
export async function countMembers(
  db: Database,
  { name, generation }: AuditedSegment,
): Promise<CountedMembers> {
  const { page, all } = prepareAll(db, sql)
  let members = 0
  let digest = 0n
  for (let last = 0; ;) {
    const rows = page.all(generation.id, last, membersAtOnce).map(valuesIn)
    for (const [entity, entityId] of rows) {
      last = Number(entity)
      members += 1
      digest = addDigest(digest, digestOf(String(entityId)))
    }
    if (rows.length < membersAtOnce) break
    await immediate()
  }
  const listed = numberIn(all.get(generation.id)) ?? 0
  const found = [
    differ(`${name}: its number of members`, generation.members, members),
    differ(`${name}: its digest`, digestText(generation.digest), digestText(digest)),
    differ(`${name}: its members that are entities`, listed, members),
  ]
  return { members, differences: found.flat() }
}

function differ<T extends number | string>(what: string, stored: T, counted: T): readonly string[] {
  return stored === counted ? [] : [`${what} is ${String(stored)}, counted ${String(counted)}`]
}

const sql = {
  page: `SELECT entity, entity_id FROM members JOIN entities USING (entity)
       WHERE segment = ? AND entity > ? ORDER BY entity LIMIT ?`,
  all: 'SELECT count(*) FROM members WHERE segment = ?',
}
