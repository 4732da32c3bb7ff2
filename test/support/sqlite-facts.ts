import { openDatabase, prepareRows } from '../../src/adapters/sqlite/file/driver.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'

/** Reads the facts of a stream over a separate connection, as another program could. */
export function sqliteFacts(path: string, stream: string): readonly StoredFact[] {
  const db = openDatabase(path, { readOnly: true })
  try {
    const rows = prepareRows(
      db,
      `SELECT facts.id, facts.type, facts.data, facts.metadata
       FROM facts JOIN streams ON streams.id = facts.stream_id
       WHERE streams.name = ? ORDER BY facts.position`,
    ).all(stream)
    return rows.map((row) => {
      const [id = '', type = '', data = '', metadata = ''] = Array.isArray(row)
        ? row.map(String)
        : []
      return { id, type, data, metadata }
    })
  } finally {
    db.close()
  }
}
