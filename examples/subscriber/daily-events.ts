import type { EntityCreated, EventRecorded, Fact, Position } from 'dossier/subscription'
import { Checkpoint, checkpointTable } from './checkpoint.js'
import { inTransaction, openDatabase, rowsOf, type Database } from './database.js'
import { ProcessedFacts, processedFactsTable } from './processed-facts.js'

/** One row of the view. */
export interface DailyEvents {
  /** The day of the events in UTC, such as `2026-11-20`. */
  readonly day: string
  readonly customer: string
  readonly events: number
}

const tables = `
  CREATE TABLE IF NOT EXISTS daily_events (
    customer TEXT NOT NULL,
    day TEXT NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (customer, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS customers (
    entity_id TEXT PRIMARY KEY,
    customer TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS customer_names ON customers (customer);`

/**
 * The view: the number of events per customer and day, and the last counted position. An event counts for the day
 * on which it happened, so the number for a past day can still grow.
 */
export class DailyEventsView {
  private readonly checkpoint: Checkpoint
  private readonly counted: ProcessedFacts
  private readonly statements: ReturnType<typeof prepare>

  private constructor(private readonly db: Database) {
    this.checkpoint = new Checkpoint(db)
    this.counted = new ProcessedFacts(db)
    this.statements = prepare(db)
  }

  /** Opens the file. Creates the file and its folder when missing. */
  static open(path: string): DailyEventsView {
    return new DailyEventsView(openDatabase(path, tables + processedFactsTable + checkpointTable))
  }

  /** The last processed position. Undefined before the first fact. */
  get position(): Position | undefined {
    return this.checkpoint.position
  }

  /** Applies a fact and stores its position in one transaction. */
  apply(fact: Fact, position: Position): void {
    inTransaction(this.db, () => {
      this.change(fact)
      this.checkpoint.keep(position)
    })
  }

  /** Stores a position up to which there is nothing to count. */
  moveTo(position: Position): void {
    this.checkpoint.keep(position)
  }

  rows(): readonly DailyEvents[] {
    const rows = this.statements.readRows.all() as (readonly [string, string, number])[]
    return rows.map(([day, customer, events]) => ({ day, customer, events }))
  }

  close(): void {
    this.db.close()
  }

  private change(fact: Fact): void {
    switch (fact.type) {
      case 'EntityCreated':
        this.create(fact)
        break
      case 'EventRecorded':
        this.count(fact)
        break
      case 'EntityErased':
        // The name stays until the removal, because events recorded after this fact may still be delivered.
        this.statements.eraseDays.run(fact.data.entityId)
        break
      case 'ErasedFactsRemoved':
        this.erase(fact.data.entityId)
        break
      default:
    }
  }

  /**
   * Deletes all rows with the customer's external id. They belong to an erased customer, whose `ErasedFactsRemoved`
   * may come after this fact.
   */
  private create({ id, data: { externalId } }: EntityCreated): void {
    if (this.statements.isKnown.get(id) !== undefined) return
    this.statements.eraseNamedDays.run(externalId)
    this.statements.eraseNamed.run(externalId)
    this.statements.name.run(id, externalId)
  }

  /** Deletes a customer's rows. Finds the customer by entity id, because an erasure contains no external id. */
  private erase(entityId: string | undefined): void {
    if (entityId === undefined) return
    this.statements.eraseDays.run(entityId)
    this.statements.erase.run(entityId)
  }

  private count(fact: EventRecorded): void {
    if (!this.counted.add(fact)) return
    const { data } = fact
    const happenedAt = data.occurredAt ?? data.recordedAt
    this.statements.count.run(data.entityExternalId, happenedAt.slice(0, 10))
  }
}

function prepare(db: Database) {
  return {
    isKnown: db.prepare('SELECT 1 FROM customers WHERE entity_id = ?'),
    name: db.prepare('INSERT INTO customers (entity_id, customer) VALUES (?, ?)'),
    eraseNamedDays: db.prepare('DELETE FROM daily_events WHERE customer = ?'),
    eraseNamed: db.prepare('DELETE FROM customers WHERE customer = ?'),
    eraseDays: db.prepare(
      `DELETE FROM daily_events
       WHERE customer = (SELECT customer FROM customers WHERE entity_id = ?)`,
    ),
    erase: db.prepare('DELETE FROM customers WHERE entity_id = ?'),
    count: db.prepare(
      `INSERT INTO daily_events (customer, day, events) VALUES (?, ?, 1)
       ON CONFLICT DO UPDATE SET events = events + 1`,
    ),
    readRows: rowsOf(
      db.prepare('SELECT day, customer, events FROM daily_events ORDER BY day, customer'),
    ),
  }
}
