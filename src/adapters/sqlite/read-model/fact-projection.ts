import { keyIn } from '../../../application/facts/metadata-text.js'
import { entityStream } from '../../../domain/entity.js'
import { erasedStream } from '../../../domain/erasures.js'
import { BufferedInsert } from '../file/buffered-insert.js'
import { prepareAll, type Statements } from '../file/driver.js'
import { factTables } from '../file/schema.js'
import type { AppliedProjection, ErasedNow, PlacedFact, Projection } from './projection.js'
import type { ReadModelTables } from './read-model-tables.js'

/**
 * The tables for the facts of a remote store. The read model copies the facts, because reading each fact of a
 * list over the network would be slow. The tables for facts and streams have the same columns as in an embedded
 * store.
 */
const tables = `
  ${factTables}
  CREATE TABLE keys (
    stream_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    first_position INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    PRIMARY KEY (stream_id, key)
  ) STRICT, WITHOUT ROWID;`

const sql = {
  insertStream: 'INSERT INTO streams VALUES (?, ?)',
  rename: 'UPDATE streams SET name = ? WHERE id = ?',
  insertKey: 'INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?)',
  extendKey: `UPDATE keys SET last_position = ?3
              WHERE stream_id = ?1 AND key = ?2 AND last_position = ?4`,
}

export const factProjection: Projection = {
  tables,
  over: (tables) => new FactProjection(tables),
}

class FactProjection implements AppliedProjection {
  private readonly rows: BufferedInsert
  private readonly statements: Statements<typeof sql>
  private latest:
    | { readonly streamId: number; readonly key: string | undefined; readonly position: number }
    | undefined

  constructor(private readonly tables: ReadModelTables) {
    const { db } = tables
    this.rows = new BufferedInsert(db, 'facts')
    this.statements = prepareAll(db, sql)
    tables.writeFacts = () => {
      this.rows.write()
    }
  }

  apply(facts: readonly PlacedFact[]): void {
    for (const { logged } of facts) {
      const { position, stream, id, type, data, metadata } = logged
      // The position of the stream's first fact is the id of the stream: see `schema.ts`.
      const { streamStart: streamId } = logged
      if (streamId === undefined) continue
      if (streamId === position) this.statements.insertStream.run(position, stream)
      this.rows.add(position, streamId, id, type, data, metadata)
      this.addKey(streamId, keyIn(metadata), position)
    }
  }

  write(): void {
    this.rows.write()
  }

  /**
   * Removes the name of the entity's stream at once, because the name contains the external id. `EntityErasing`
   * removes the facts in slices.
   */
  forget({ entity, entityId, externalId }: ErasedNow): void {
    this.rows.write()
    this.tables.streams?.forget(entityStream(externalId))
    this.statements.rename.run(erasedStream(entityId), entity)
  }

  private addKey(streamId: number, key: string | undefined, position: number): void {
    const before = this.latest
    this.latest = { streamId, key, position }
    if (key === undefined) return
    if (before?.streamId === streamId && before.key === key) {
      this.statements.extendKey.run(streamId, key, position, before.position)
    } else {
      this.statements.insertKey.run(streamId, key, position, position)
    }
  }
}
