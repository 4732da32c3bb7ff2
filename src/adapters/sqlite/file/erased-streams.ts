import { prepareRows, type Database, prepareAll, type Statements } from './driver.js'
import { valuesIn } from './row.js'

interface ClosedStream {
  readonly entityId: string
  readonly streamId: number
  readonly erasureId: string
  /** The position of the `EntityErased` fact of the entity. */
  readonly position: number
  /** The former name of the stream. Undefined after the store has deleted it. */
  readonly name: string | undefined
}

export interface ErasedStreamRow extends ClosedStream {
  readonly removedTo: number
  readonly facts: Readonly<Record<string, number>>
  readonly keys: number
}

/** A soft-deleted stream with the hash of its former name. */
export interface SuppressedRow extends ErasedStreamRow {
  /** The hash of the former stream name, if reuse of the name is blocked. Otherwise undefined. */
  readonly suppressed: Buffer | undefined
}

/** Reads and writes the table `erased`. Every method may throw SQLite errors. */
export class ErasedStreams {
  private readonly statements: Statements<typeof sql>

  constructor(private readonly db: Database) {
    this.statements = prepareAll(db, sql)
  }

  find(entityId: string): ErasedStreamRow | undefined {
    const row = this.statements.find.get(entityId)
    return row === undefined ? undefined : rowIn(row)
  }

  all(): readonly SuppressedRow[] {
    return this.statements.all.all().map(rowIn)
  }

  /** Returns the soft-deleted streams whose facts are not all removed. */
  unfinished(): readonly ErasedStreamRow[] {
    return this.statements.unfinished.all().map(rowIn)
  }

  /** Adds a row that was read from another file, or updates the progress of an existing row. */
  take(row: SuppressedRow): void {
    if (this.find(row.entityId) === undefined) this.add(row, row.suppressed)
    this.removed(row.entityId, row)
  }

  /**
   * Adds a soft-deleted stream. `suppressed` is a hash of the former stream name if reuse of the name is
   * blocked, otherwise undefined.
   */
  add(row: ClosedStream, suppressed: Buffer | undefined): void {
    const { entityId, streamId, erasureId, position } = row
    // Stores the name as hexadecimal text, so that a search of the file's bytes for the name does not find this
    // row.
    const name = row.name === undefined ? null : Buffer.from(row.name).toString('hex')
    const start = streamId - 1
    this.statements.add.run(
      entityId,
      streamId,
      erasureId,
      position,
      name,
      suppressed ?? null,
      start,
    )
  }

  removed(
    entityId: string,
    { removedTo, facts, keys }: Pick<ErasedStreamRow, 'removedTo' | 'facts' | 'keys'>,
  ): void {
    this.statements.removed.run(removedTo, JSON.stringify(facts), keys, entityId)
  }

  forgetName(entityId: string): void {
    this.statements.forgetName.run(entityId)
  }

  /** Deletes the former names of streams whose facts are removed. Call it after a VACUUM. */
  forgetNamesOfRemoved(): void {
    this.statements.forgetNamesOfRemoved.run()
  }

  release(entityId: string): void {
    this.statements.release.run(entityId)
  }

  /** Returns whether a new stream uses the former name of a soft-deleted stream. */
  livesAgain(name: string): boolean {
    return this.statements.stream.get(name) !== undefined
  }

  suppressesAny(): boolean {
    return this.statements.any.get() !== undefined
  }

  /**
   * Returns the id of the erased entity whose blocked stream name has this hash, or undefined when no blocked
   * name has it.
   */
  suppressed(hash: Buffer): string | undefined {
    const row = this.statements.suppressed.get(hash)
    return row === undefined ? undefined : String(valuesIn(row)[0])
  }

  /** Returns whether SQLite has overwritten all deleted data since the first fact in the file. */
  alwaysOverwrote(): boolean {
    return prepareRows(this.db, 'SELECT 1 FROM overwritten').get() !== undefined
  }
}

function rowIn(row: unknown): SuppressedRow {
  const [entityId, streamId, erasureId, position, name, suppressed, removedTo, facts, keys] =
    valuesIn(row)
  return {
    entityId: String(entityId),
    streamId: Number(streamId),
    erasureId: String(erasureId),
    position: Number(position),
    name: typeof name === 'string' ? Buffer.from(name, 'hex').toString() : undefined,
    suppressed: suppressed instanceof Uint8Array ? Buffer.from(suppressed) : undefined,
    removedTo: Number(removedTo),
    facts: JSON.parse(String(facts)) as Record<string, number>,
    keys: Number(keys),
  }
}

const columns =
  'entity_id, stream_id, erasure_id, position, name, suppressed, removed_to, facts, keys'

const sql = {
  stream: 'SELECT 1 FROM streams WHERE name = ?',
  find: `SELECT ${columns} FROM erased WHERE entity_id = ?`,
  unfinished: `SELECT ${columns} FROM erased WHERE removed_to < position`,
  all: `SELECT ${columns} FROM erased`,
  add: `INSERT INTO erased VALUES (?, ?, ?, ?, ?, ?, ?, '{}', 0)`,
  removed: 'UPDATE erased SET removed_to = ?, facts = ?, keys = ? WHERE entity_id = ?',
  forgetName: 'UPDATE erased SET name = NULL WHERE entity_id = ?',
  forgetNamesOfRemoved: 'UPDATE erased SET name = NULL WHERE removed_to >= position',
  release: 'UPDATE erased SET suppressed = NULL WHERE entity_id = ?',
  any: 'SELECT 1 FROM erased WHERE suppressed IS NOT NULL LIMIT 1',
  suppressed: 'SELECT entity_id FROM erased WHERE suppressed = ?',
}
