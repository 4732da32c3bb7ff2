import { z } from 'zod'
import { SqliteReader } from './sqlite-reader.js'

const texts = z.array(z.tuple([z.string()]))
const counts = z.array(z.tuple([z.number()])).length(1)

/** Queries whose count must be 0 in an intact file. SQLite itself does not check these rules. */
const rules: readonly (readonly [text: string, count: string])[] = [
  [
    'names that two streams have',
    'SELECT count(*) FROM (SELECT 1 FROM streams NOT INDEXED GROUP BY name HAVING count(*) > 1)',
  ],
  [
    'facts without a stream',
    'SELECT count(*) FROM facts WHERE stream_id NOT IN (SELECT id FROM streams NOT INDEXED)',
  ],
  [
    'streams without their first fact',
    `SELECT count(*) FROM streams NOT INDEXED LEFT JOIN facts ON facts.position = streams.id
     WHERE facts.stream_id IS NOT streams.id`,
  ],
  [
    'facts that are missing, though their keys are indexed',
    `SELECT max(0, (SELECT position FROM keys_indexed) -
       (SELECT coalesce(max(position), 0) FROM facts))`,
  ],
  [
    'keys without their fact',
    `SELECT count(*) FROM append_keys AS keys LEFT JOIN facts ON facts.position = keys.last_position
     WHERE facts.stream_id IS NOT keys.stream_id`,
  ],
  // At its start, the service reads these facts to find the idempotency keys of later facts.
  [
    'keyed facts that are not found by their key',
    `SELECT count(*) FROM facts WHERE position <= (SELECT position FROM keys_indexed)
       AND metadata ->> '$.idempotencyKey' IS NOT NULL AND NOT EXISTS
       (SELECT 1 FROM append_keys AS keys WHERE keys.stream_id = facts.stream_id
       AND keys.key = unhex(facts.metadata ->> '$.idempotencyKey'))`,
  ],
]

/** Describes the damage of a service's SQLite file. Returns an empty list for an intact file. */
export function damageIn(path: string): readonly string[] {
  let reader: SqliteReader | undefined
  try {
    reader = new SqliteReader(path)
    const found = texts.parse(reader.rows('PRAGMA integrity_check(5)')).map(([text]) => text)
    const damage = found.filter((text) => text !== 'ok')
    for (const [text, sql] of rules) {
      const count = counts.parse(reader.rows(sql))[0]?.[0] ?? 0
      if (count > 0) damage.push(`${String(count)} ${text}`)
    }
    return damage
  } catch (error) {
    return [`it cannot be read: ${error instanceof Error ? error.message : String(error)}`]
  } finally {
    reader?.close()
  }
}
