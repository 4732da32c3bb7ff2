import { BufferedInsert } from '../../file/buffered-insert.js'
import type { Database } from '../../file/driver.js'
import { changeKind, creationKind, firstEventKind } from '../fact-kind.js'
import { BlockWriter, type Entry } from './block.js'
import { LogBlocks, type LogHead } from './log-blocks.js'

/** What is known of a fact when it is applied. */
export type NewEntry = Omit<Entry, 'isStraggler'>

type StragglerRow = [entity: number, occurredAt: number, position: number, kind: number]

const emptyLog: LogHead = {
  eventCount: 0,
  latestAt: -Infinity,
  inOrder: 0,
  changes: 0,
  blocks: 0,
  tail: new Uint8Array(0),
}

/**
 * Entries on their way into the tables: the row of an entity is read and written once, however many of
 * its facts come at a time, and rows are written in the order of the table, where neighbours are on the
 * same page. An entry takes about 100 bytes of memory.
 */
export class PendingEntries {
  /** How many there are. */
  count = 0
  private readonly byEntity = new Map<number, NewEntry[]>()
  private readonly blocks: LogBlocks
  private readonly statements: ReturnType<typeof prepare>
  private readonly stragglerInsert: BufferedInsert
  private readonly writer = new BlockWriter()

  constructor(db: Database, blocks: LogBlocks) {
    this.blocks = blocks
    this.statements = prepare(db)
    this.stragglerInsert = new BufferedInsert(db, 'stragglers', 4)
  }

  /** The entries of an entity come in the order of their positions, its creation first. */
  add(entity: number, entry: NewEntry): void {
    const entries = this.byEntity.get(entity)
    if (entries === undefined) this.byEntity.set(entity, [entry])
    else entries.push(entry)
    this.count += 1
  }

  write(): void {
    if (this.count === 0) return
    const entities = [...this.byEntity.keys()].sort((left, right) => left - right)
    const stragglers = entities.flatMap((entity) => this.append(entity, this.byEntity.get(entity)))
    this.byEntity.clear()
    this.count = 0
    this.writeStragglers(stragglers)
  }

  /** Those of one entity. */
  writeOf(entity: number): void {
    const entries = this.byEntity.get(entity)
    if (entries === undefined) return
    const stragglers = this.append(entity, entries)
    this.byEntity.delete(entity)
    this.count -= entries.length
    this.writeStragglers(stragglers)
  }

  /** Returns what else is to be written. */
  private append(entity: number, entries: readonly NewEntry[] = []): StragglerRow[] {
    const isNew = entries[0]?.kind === creationKind
    const head = isNew ? emptyLog : this.blocks.head(entity)
    if (head === undefined) throw new TypeError(`entity ${String(entity)} has no log`)
    const stragglers: StragglerRow[] = []
    let { eventCount, latestAt, inOrder, changes, blocks } = head
    const { writer, statements } = this
    writer.begin(head.tail)
    for (const entry of entries) {
      const { kind, at, position } = entry
      if (writer.isFull) {
        const latest = latestAt === -Infinity ? null : latestAt
        const { lastPosition, written } = writer
        statements.close.run(entity, blocks, lastPosition, latest, inOrder, changes, written)
        writer.clear()
        blocks += 1
      }
      const isEvent = kind >= firstEventKind
      const isStraggler = isEvent && at < latestAt
      writer.add({ ...entry, isStraggler })
      if (kind <= changeKind) changes += 1
      if (!isEvent) continue
      eventCount += 1
      if (isStraggler) {
        stragglers.push([entity, at, position, kind])
      } else {
        inOrder += 1
        latestAt = at
      }
    }
    const latest = latestAt === -Infinity ? null : latestAt
    const values = [eventCount, latest, inOrder, changes, blocks, writer.written] as const
    if (isNew) statements.create.run(entity, ...values)
    else statements.change.run(...values, entity)
    return stragglers
  }

  private writeStragglers(rows: readonly StragglerRow[]): void {
    if (rows.length === 0) return
    const inOrder = rows.toSorted(
      (left, right) => left[0] - right[0] || left[1] - right[1] || left[2] - right[2],
    )
    for (const row of inOrder) this.stragglerInsert.add(...row)
    this.stragglerInsert.write()
  }
}

function prepare(db: Database) {
  return {
    create: db.prepare('INSERT INTO entity_logs VALUES (?, ?, ?, ?, ?, ?, ?)'),
    change: db.prepare(
      `UPDATE entity_logs
       SET event_count = ?, latest_at = ?, in_order = ?, changes = ?, blocks = ?, tail = ?
       WHERE entity = ?`,
    ),
    close: db.prepare('INSERT INTO log_blocks VALUES (?, ?, ?, ?, ?, ?, ?)'),
  }
}
