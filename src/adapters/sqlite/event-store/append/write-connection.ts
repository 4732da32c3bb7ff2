import { keyIn } from '../../../../application/facts/metadata-text.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { StreamFact } from '../../../../application/ports/exact-appends.js'
import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import { BufferedInsert } from '../../file/buffered-insert.js'
import { Revisions } from '../../file/revisions.js'
import { factIn, numberIn, numbersIn, valuesIn } from '../../file/row.js'
import { valueOf } from '../../file/schema.js'
import type { IndexStep, KeyedRange, KeyEntry } from './recent-keys.js'

/**
 * The approximate number of bytes of facts in one page. Facts are appended in order, so pages are nearly full.
 */
const factBytesOfPage = 4_000

/** The writer's SQL statements on one connection. Every method throws SQLite errors. */
export class WriteConnection {
  private readonly statements: Statements<typeof sql>
  private readonly rows: BufferedInsert
  private readonly keys: BufferedInsert
  /**
   * The estimated number of pages that the current transaction changes. The count starts at 1 because each
   * transaction rewrites the page with the newest facts.
   */
  private changedPages = 1
  /** Reads and writes the revisions of streams that are appended to at an expected revision. */
  readonly revisions: Revisions

  constructor(readonly db: Database) {
    this.statements = prepareAll(db, sql)
    this.revisions = new Revisions(db)
    this.rows = new BufferedInsert(db, 'facts')
    // Replaces existing rows, because the index may already contain the keys of a commit that was stored
    // although it reported a failure.
    this.keys = new BufferedInsert(db, 'append_keys', 'INSERT OR REPLACE')
  }

  /** Returns the position of the newest fact, or 0 when there is none. */
  head(): number {
    return Number(valueOf(this.db, 'SELECT max(position) FROM facts') ?? 0)
  }

  begin(): void {
    if (this.db.isTransaction) this.statements.rollback.run()
    this.statements.begin.run()
    this.changedPages = 1
  }

  /** The estimated number of WAL pages that the current transaction writes. */
  get logPages(): number {
    return Math.ceil(this.changedPages)
  }

  /**
   * Increases the estimate by pages that the transaction changes in addition to the pages with the newest
   * facts, such as index pages.
   */
  changes(pages: number): void {
    this.changedPages += pages
  }

  /** Inserts the buffered rows before the commit, so that `commit` only has to write the WAL. */
  flushRows(): void {
    this.rows.write()
  }

  commit(): void {
    this.statements.commit.run()
  }

  rollBack(): void {
    this.rows.drop()
    this.keys.drop()
    if (this.db.isTransaction) this.statements.rollback.run()
  }

  /** Rewrites one page without changing its contents. The commit shows whether the file can be written. */
  rewriteVersion(): void {
    const version = Number(valueOf(this.db, 'PRAGMA user_version'))
    this.db.exec(`PRAGMA user_version = ${String(version)}`)
  }

  streamId(name: string): number | undefined {
    return numberIn(this.statements.streamId.get(name))
  }

  /**
   * Returns facts of a stream that is appended to at an expected revision. The first returned fact has the
   * revision `from`.
   */
  page(stream: string, from: number | 'end'): readonly StreamFact[] {
    const streamId = this.streamId(stream)
    if (streamId === undefined) return []
    const first = from === 'end' ? this.revisions.endOf(streamId).revision : from
    return this.revisions.page(streamId, first)
  }

  keyed(streamId: number, key: Buffer): KeyedRange | undefined {
    const row = this.statements.keyed.get(streamId, key)
    if (row === undefined) return undefined
    const [first = 0, last = 0] = numbersIn(row)
    return { first, last }
  }

  facts({ first, last }: KeyedRange): readonly StoredFact[] {
    this.rows.write()
    return this.statements.facts.all(first, last).map(factIn)
  }

  insertStream(id: number, name: string): void {
    this.statements.insertStream.run(id, name)
    this.changes(2)
  }

  insertFact(position: number, streamId: number, { id, type, data, metadata }: StoredFact): void {
    this.rows.add(position, streamId, id, type, data, metadata)
    this.changes((data.length + metadata.length) / factBytesOfPage)
  }

  /** Returns the position up to which the index contains the idempotency keys of all facts. */
  indexedUpTo(): number {
    return Number(valueOf(this.db, 'SELECT position FROM keys_indexed'))
  }

  indexKeys({ entries, indexedUpTo }: IndexStep): void {
    for (const { streamId, key, first, last } of entries) this.keys.add(streamId, key, first, last)
    this.keys.write()
    this.changes(new Set(entries.map(({ streamId }) => streamId)).size)
    if (indexedUpTo !== undefined) this.statements.setIndexed.run(indexedUpTo)
  }

  /**
   * Returns the idempotency keys of the facts after a position. Each key is returned with the first and last
   * position of its facts. The facts of one append have consecutive positions.
   */
  keysAfter(position: number): Iterable<KeyEntry> {
    const found = new Map<string, KeyEntry>()
    for (const row of this.statements.keyedFacts.all(position)) {
      const [at, stream, metadata] = valuesIn(row)
      const [last, streamId, hash] = [Number(at), Number(stream), keyIn(String(metadata))]
      if (hash === undefined) continue
      const name = `${hash} ${String(streamId)}`
      const before = found.get(name)
      const first = before?.last === last - 1 ? before.first : last
      found.set(name, { streamId, key: Buffer.from(hash, 'hex'), first, last })
    }
    return found.values()
  }

  close(): void {
    this.db.close()
  }
}

const sql = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  streamId: 'SELECT id FROM streams WHERE name = ?',
  keyed: 'SELECT first_position, last_position FROM append_keys WHERE stream_id = ? AND key = ?',
  facts: `SELECT id, type, data, metadata FROM facts
          WHERE position BETWEEN ? AND ? ORDER BY position`,
  insertStream: 'INSERT INTO streams VALUES (?, ?)',
  setIndexed: 'UPDATE keys_indexed SET position = ?',
  keyedFacts: `SELECT position, stream_id, metadata FROM facts
               WHERE position > ? AND instr(metadata, '"idempotencyKey"') > 0 ORDER BY position`,
}
