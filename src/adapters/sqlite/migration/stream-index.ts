import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { prepareRows, type Database } from '../file/driver.js'
import { factIn, numberIn } from '../file/row.js'
import { valueOf } from '../file/schema.js'

/** A page ends when it has so many facts, or so many bytes of them. */
const maxFacts = 500
const maxBytes = 1_048_576

/**
 * The facts of a file by stream. The file has no index of them, because writing needs none: this one
 * is made for a copy, in temporary files, and is gone with the connection.
 */
export class StreamIndex {
  private readonly statements: ReturnType<typeof prepare>

  constructor(private readonly db: Database) {
    db.exec('PRAGMA temp_store = FILE')
    db.exec(`CREATE TEMP TABLE places (
      stream_id INTEGER NOT NULL,
      place INTEGER NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (stream_id, place)
    ) STRICT, WITHOUT ROWID`)
    db.exec(`INSERT INTO places
      SELECT stream_id, row_number() OVER (PARTITION BY stream_id ORDER BY position) - 1, position
      FROM main.facts ORDER BY stream_id, position`)
    this.statements = prepare(db)
  }

  facts(): number {
    return Number(valueOf(this.db, 'SELECT count(*) FROM main.facts'))
  }

  head(): number {
    return Number(valueOf(this.db, 'SELECT max(position) FROM main.facts') ?? 0)
  }

  streamId(stream: string): number | undefined {
    return numberIn(this.statements.streamId.get(stream))
  }

  /** How many facts a stream has. */
  length(streamId: number): number {
    return numberIn(this.statements.length.get(streamId)) ?? 0
  }

  /** To be told what was appended. */
  add(streamId: number, place: number, position: number): void {
    this.statements.add.run(streamId, place, position)
  }

  /** Names of streams in the order of their first facts, after the id of one. */
  streamsAfter(id: number): readonly { readonly id: number; readonly name: string }[] {
    return this.statements.streams.all(id, maxFacts).map((row) => {
      if (!Array.isArray(row)) throw new TypeError('expected a row')
      return { id: Number(row[0]), name: String(row[1]) }
    })
  }

  /** Facts of a stream in order, from a place on. */
  page(streamId: number, from: number): readonly StoredFact[] {
    const sizes = this.statements.sizes.all(streamId, from, maxFacts)
    let count = 0
    let bytes = 0
    for (const row of sizes) {
      bytes += numberIn(row) ?? 0
      if (count > 0 && bytes > maxBytes) break
      count += 1
    }
    return this.statements.facts.all(streamId, from, from + count - 1).map(factIn)
  }
}

function prepare(db: Database) {
  const placed = 'temp.places JOIN main.facts ON facts.position = places.position'
  return {
    streamId: prepareRows(db, 'SELECT id FROM main.streams WHERE name = ?'),
    streams: prepareRows(db, 'SELECT id, name FROM main.streams WHERE id > ? ORDER BY id LIMIT ?'),
    length: prepareRows(
      db,
      'SELECT coalesce(max(place) + 1, 0) FROM temp.places WHERE stream_id = ?',
    ),
    add: db.prepare('INSERT INTO temp.places VALUES (?, ?, ?)'),
    sizes: prepareRows(
      db,
      `SELECT octet_length(data) + octet_length(metadata) FROM ${placed}
       WHERE places.stream_id = ? AND place >= ? ORDER BY place LIMIT ?`,
    ),
    facts: prepareRows(
      db,
      `SELECT facts.id, type, data, metadata FROM ${placed}
       WHERE places.stream_id = ? AND place BETWEEN ? AND ? ORDER BY place`,
    ),
  }
}
