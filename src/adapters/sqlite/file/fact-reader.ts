import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { type StoredFact, UnreadableFact } from '../../../application/facts/stored-fact.js'
import type { StreamFact } from '../../../application/ports/exact-appends.js'
import { type Database, prepareAll, type Statements } from './driver.js'
import { factIn, numberIn, valuesIn } from './row.js'
import { Revisions } from './revisions.js'
import { StreamNames } from './stream-names.js'

/** The limits of a page of facts. A page with a single fact may exceed the limit of bytes. */
interface PageLimits {
  readonly facts: number
  /** The most bytes of data and metadata on a page. */
  readonly bytes: number
}

const name = '(SELECT name FROM streams WHERE streams.id = stream_id)'

const sizes = `
  SELECT position, octet_length(data) + octet_length(metadata) AS bytes FROM facts
  WHERE position > ? ORDER BY position LIMIT ?`

/** Reads the tables `facts` and `streams` of a store or read model. Every method may throw SQLite errors. */
export class FactReader {
  private readonly statements: Statements<typeof sql>
  private readonly names = new StreamNames()

  constructor(readonly db: Database) {
    this.statements = prepareAll(db, sql)
  }

  head(): number {
    return numberIn(this.statements.head.get()) ?? 0
  }

  find(position: number): LoggedFact | undefined {
    const row = this.statements.find.get(position)
    return row === undefined ? undefined : this.placed(row)
  }

  /** Returns the facts at these positions, as a map by position. Positions without a fact are absent. */
  stored(positions: readonly number[]): ReadonlyMap<number, StoredFact> {
    const wanted = JSON.stringify(positions.toSorted((left, right) => left - right))
    const rows = this.statements.stored.all(wanted).map(valuesIn)
    return new Map(rows.map((row) => [Number(row[4]), factIn(row)]))
  }

  /**
   * Returns the facts of a stream that is appended to at an expected revision. The first returned fact has the
   * revision `from`. Only the file of a store has such streams.
   */
  stream(name: string, from: number): readonly StreamFact[] {
    const id = numberIn(this.statements.streamId.get(name))
    return id === undefined ? [] : new Revisions(this.db).page(id, from)
  }

  page(after: number, until: number, limits: PageLimits): readonly LoggedFact[] {
    const count = this.factsThatFit(after, limits)
    return this.statements.page.all(after, until, count).map(this.placed)
  }

  /** Returns the fact in a row of `find` or `page`. The stream name in a row of `page` may be null. */
  private readonly placed = (row: unknown): LoggedFact => {
    const [position, start, given, id, type, text, metadata] = valuesIn(row)
    // The id of a stream is the position of the stream's first fact: see `schema.ts`.
    const streamStart = Number(start)
    const data = String(text)
    return {
      position: Number(position),
      stream: given === null ? this.nameOf(streamStart, data) : this.named(streamStart, given),
      id: String(id),
      type: String(type),
      data,
      metadata: String(metadata),
      streamStart,
    }
  }

  private nameOf(streamId: number, data: string): string {
    const name = this.names.nameOf(streamId, data)
    if (name !== undefined) return name
    const row = this.statements.name.get(streamId)
    return this.named(streamId, row === undefined ? row : valuesIn(row)[0])
  }

  private named(streamId: number, name: unknown): string {
    if (typeof name !== 'string') throw new TypeError(`stream ${String(streamId)} has no name`)
    this.names.add(streamId, name)
    return name
  }

  /** Returns the names of the events among the latest facts, the most frequent first. */
  latestEventNames(facts: number): readonly string[] {
    return this.statements.eventNames.all(facts).map((row) => String(valuesIn(row)[0]))
  }

  private factsThatFit(after: number, limits: PageLimits): number {
    const all = numberIn(this.statements.size.get(after, limits.facts)) ?? 0
    if (all <= limits.bytes) return limits.facts
    const fit = this.statements.fit.get(after, limits.facts, limits.bytes)
    return Math.max(1, numberIn(fit) ?? 0)
  }
}

const sql = {
  head: 'SELECT coalesce(max(position), 0) FROM facts',
  find: `SELECT position, stream_id, ${name}, id, type, data, metadata FROM facts WHERE position = ?`,
  // Selects any number of positions. A separate statement for each position would cost three times as much.
  stored: `SELECT facts.id, facts.type, data, metadata, position
       FROM json_each(?) AS wanted CROSS JOIN facts ON position = wanted.value`,
  page: `SELECT position, stream_id, CASE position WHEN stream_id THEN ${name} END, id, type, data, metadata
       FROM facts WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
  streamId: 'SELECT id FROM streams WHERE name = ?',
  name: 'SELECT name FROM streams WHERE id = ?',
  eventNames: `SELECT json_extract(data, '$.name') AS event
       FROM (SELECT type, data FROM facts ORDER BY position DESC LIMIT ?) WHERE type = 'EventRecorded'
       GROUP BY event ORDER BY count(*) DESC, event`,
  size: `SELECT sum(bytes) FROM (${sizes})`,
  fit: `SELECT count(*) FROM (SELECT sum(bytes) OVER (ORDER BY position) AS total FROM (${sizes}))
        WHERE total <= ?`,
}

/** Throws `UnreadableFact`. Call it when a position that other data refers to contains no fact. */
export function missing(position: number): never {
  throw new UnreadableFact(`there is no fact of Dossier at position ${String(position)}`)
}
