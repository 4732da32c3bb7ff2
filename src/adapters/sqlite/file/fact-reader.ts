import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { StreamFact } from '../../../application/ports/exact-appends.js'
import { type Database, prepareAll, type Statements } from './driver.js'
import { numberIn, valuesIn } from './row.js'
import { Revisions } from './revisions.js'
import { StreamNames } from './stream-names.js'

/** How much a page holds at most; one fact alone may have more bytes. */
export interface PageLimits {
  readonly facts: number
  /** Bytes of data and metadata. */
  readonly bytes: number
}

const columns = 'position, name, facts.id, type, data, metadata, stream_id'
const placed = 'facts JOIN streams ON streams.id = facts.stream_id'

const sizes = `
  SELECT octet_length(data) + octet_length(metadata) AS bytes FROM facts
  WHERE position > ? ORDER BY position LIMIT ?`

/** Reads the tables `facts` and `streams` of a file. Every method throws what SQLite says. */
export class FactReader {
  private readonly statements: Statements<typeof sql>
  private readonly names = new StreamNames()

  constructor(readonly db: Database) {
    this.statements = prepareAll(db, sql)
  }

  head(): number {
    return numberIn(this.statements.head.get()) ?? 0
  }

  at(position: number): LoggedFact | undefined {
    const row = this.statements.at.get(position)
    return row === undefined ? undefined : loggedFactIn(row)
  }

  /** Those of the facts at these positions that there are, by position. */
  many(positions: readonly number[]): ReadonlyMap<number, StoredFact> {
    const found = new Map<number, StoredFact>()
    for (const row of this.statements.many.all(JSON.stringify(positions))) {
      const [position, id, type, data, metadata] = valuesIn(row)
      found.set(Number(position), {
        id: String(id),
        type: String(type),
        data: String(data),
        metadata: String(metadata),
      })
    }
    return found
  }

  /** The next facts of a stream of exact revisions, from one on; only in the file of a store. */
  stream(name: string, from: number): readonly StreamFact[] {
    const id = numberIn(this.statements.streamId.get(name))
    return id === undefined ? [] : new Revisions(this.db).page(id, from)
  }

  page(after: number, until: number, limits: PageLimits): readonly LoggedFact[] {
    const count = this.factsThatFit(after, limits)
    return this.statements.page.all(after, until, count).map(this.placed)
  }

  /** The fact in a raw row of `columns`, in which the name of the stream may be left out. */
  private readonly placed = (row: unknown): LoggedFact => {
    const [position, given, id, type, text, metadata, start] = valuesIn(row)
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

  private factsThatFit(after: number, limits: PageLimits): number {
    const all = numberIn(this.statements.size.get(after, limits.facts)) ?? 0
    if (all <= limits.bytes) return limits.facts
    let count = 0
    let bytes = 0
    for (const row of this.statements.sizes.all(after, limits.facts)) {
      bytes += numberIn(row) ?? 0
      if (count > 0 && bytes > limits.bytes) break
      count += 1
    }
    return count
  }
}

const sql = {
  head: 'SELECT coalesce(max(position), 0) FROM facts',
  at: `SELECT ${columns} FROM ${placed} WHERE position = ?`,
  // One statement for any number of them: a third of the cost of one each.
  many: `SELECT position, facts.id, facts.type, data, metadata
       FROM json_each(?) AS wanted CROSS JOIN facts ON position = wanted.value`,
  page: `SELECT position, CASE position WHEN stream_id THEN
         (SELECT name FROM streams WHERE streams.id = stream_id) END,
         id, type, data, metadata, stream_id
       FROM facts WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
  streamId: 'SELECT id FROM streams WHERE name = ?',
  name: 'SELECT name FROM streams WHERE id = ?',
  size: `SELECT sum(bytes) FROM (${sizes})`,
  sizes: sizes,
}

function loggedFactIn(row: unknown): LoggedFact {
  const [position, stream, id, type, data, metadata, streamId] = valuesIn(row)
  return {
    position: Number(position),
    stream: String(stream),
    id: String(id),
    type: String(type),
    data: String(data),
    metadata: String(metadata),
    // See schema.ts.
    streamStart: Number(streamId),
  }
}
