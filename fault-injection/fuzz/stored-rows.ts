import { openDatabase, prepareRows } from '../../src/adapters/sqlite/file/driver.js'
import { z } from 'zod'
import type { StoredRow } from './account.js'

const row = z.tuple([z.number(), z.string(), z.string()])

/** Returns all facts in a file whose service has stopped. */
export function storedRows(path: string): readonly StoredRow[] {
  const db = openDatabase(path, { readOnly: true })
  try {
    const rows = prepareRows(db, 'SELECT position, id, data FROM facts ORDER BY position').all()
    return rows.map((one) => {
      const [position, id, data] = row.parse(one)
      return { position: String(position), id, data: JSON.parse(data) as unknown }
    })
  } finally {
    db.close()
  }
}
