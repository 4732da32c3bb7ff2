import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
// Node's own `node:sqlite` has the same interface; Node 20 lacks it.
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite'
import type { EventRecorded, Fact, Position } from 'dossier/subscription'

/** One row of the view. */
export interface DailyEvents {
  /** On which the events happened: `2026-11-20`, UTC. */
  readonly day: string
  readonly customer: string
  readonly events: number
}

/**
 * `counted` makes "exactly once" exact, for ever: a fact's id is counted once, whatever position it
 * comes at. It costs about 40 bytes an event; see the README for what may take its place.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS daily_events (
    customer TEXT NOT NULL,
    day TEXT NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (customer, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counted (
    fact_id BLOB PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkpoint (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    commit_position TEXT NOT NULL,
    prepare_position TEXT NOT NULL
  ) STRICT;`

/**
 * The view: how many events each customer had on each day, and up to which position it is counted. An
 * event counts on the day it happened, so a day of the past can still grow.
 */
export class DailyEventsView {
  private readonly statements: ReturnType<typeof prepare>

  private constructor(private readonly db: InstanceType<typeof DatabaseSync>) {
    this.statements = prepare(db)
  }

  /** The file and its folder are made when missing. */
  static open(path: string): DailyEventsView {
    mkdirSync(dirname(path), { recursive: true })
    const db = new DatabaseSync(path)
    try {
      db.exec('PRAGMA busy_timeout = 5000')
      // A loss of power may take the last transactions away: view and position go back together.
      db.exec('PRAGMA journal_mode = WAL')
      db.exec('PRAGMA synchronous = NORMAL')
      db.exec(tables)
      return new DailyEventsView(db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Where to go on; undefined when nothing has been processed. */
  get position(): Position | undefined {
    const row = this.statements.readPosition.get() as readonly [string, string] | undefined
    if (row === undefined) return undefined
    const [commit, prepared] = row
    return { commit: BigInt(commit), prepare: BigInt(prepared) }
  }

  /** One fact and its position, in one transaction: both are kept, or neither. */
  apply(fact: Fact, position: Position): void {
    this.inTransaction(() => {
      if (fact.type === 'EventRecorded') this.count(fact)
      this.keep(position)
    })
  }

  /** Nothing to count up to here. */
  moveTo(position: Position): void {
    this.keep(position)
  }

  rows(): readonly DailyEvents[] {
    const rows = this.statements.readRows.all() as (readonly [string, string, number])[]
    return rows.map(([day, customer, events]) => ({ day, customer, events }))
  }

  close(): void {
    this.db.close()
  }

  private count({ id, data }: EventRecorded): void {
    const idBytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    const { changes } = this.statements.remember.run(idBytes)
    if (changes === 0) return
    const happenedAt = data.occurredAt ?? data.recordedAt
    this.statements.count.run(data.entityExternalId, happenedAt.slice(0, 10))
  }

  private keep({ commit, prepare: prepared }: Position): void {
    this.statements.keepPosition.run(String(commit), String(prepared))
  }

  private inTransaction(work: () => void): void {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.db.exec('COMMIT')
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }
}

function prepare(db: InstanceType<typeof DatabaseSync>) {
  return {
    remember: db.prepare('INSERT OR IGNORE INTO counted (fact_id) VALUES (?)'),
    count: db.prepare(
      `INSERT INTO daily_events (customer, day, events) VALUES (?, ?, 1)
       ON CONFLICT DO UPDATE SET events = events + 1`,
    ),
    keepPosition: db.prepare(
      `INSERT INTO checkpoint (only_row, commit_position, prepare_position) VALUES (1, ?, ?)
       ON CONFLICT DO UPDATE SET commit_position = excluded.commit_position,
         prepare_position = excluded.prepare_position`,
    ),
    readPosition: rowsOf(db.prepare('SELECT commit_position, prepare_position FROM checkpoint')),
    readRows: rowsOf(
      db.prepare('SELECT day, customer, events FROM daily_events ORDER BY day, customer'),
    ),
  }
}

/** With its rows as arrays of their columns. */
function rowsOf(statement: StatementSyncInstance): StatementSyncInstance {
  statement.setReturnArrays(true)
  return statement
}
