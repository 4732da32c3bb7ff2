import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { StreamIdCache } from '../file/stream-names.js'
import {
  prepareAll,
  type Database,
  type Statements,
  prepareRows,
  type Statement,
} from '../file/driver.js'
import { numberIn } from '../file/row.js'
import { erasedStream } from '../../../domain/erasures.js'
import { PositionCache } from './position-cache.js'

/** Finds the number of an entity: the position of its creation. */
export class EntityIds {
  private readonly recent = new StreamIdCache()
  private readonly unwritten = new Map<string, number>()
  /** Recent entities that were created by the first fact of their stream. Other entities are looked up. */
  private readonly first = new PositionCache()
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  /** `logged` is a fact of the entity's stream. With its stream start, no look-up by name is needed. */
  of(externalId: string, logged?: LoggedFact): number | undefined {
    const start = logged && startOf(logged, externalId)
    if (start !== undefined && this.isFirst(start, externalId)) return start
    const cached = this.recent.idOf(externalId) ?? this.unwritten.get(externalId)
    if (cached !== undefined) return cached
    const found = numberIn(this.statements.find.get(externalId))
    if (found !== undefined) this.recent.add(externalId, found)
    return found
  }

  /** Makes a new entity findable before it is written. `logged` is its creation. */
  add(externalId: string, logged: LoggedFact): void {
    const { position: entity } = logged
    this.unwritten.set(externalId, entity)
    if (startOf(logged, externalId) === entity) this.first.add(entity)
    else this.recent.add(externalId, entity)
  }

  /** Call when the entity is erased. A new entity may take its name. */
  forget(externalId: string, entity: number): void {
    this.unwritten.delete(externalId)
    this.recent.forget(externalId)
    this.first.delete(entity)
  }

  written(): void {
    this.unwritten.clear()
  }

  private isFirst(start: number, externalId: string): boolean {
    if (this.first.has(start)) return true
    if (this.statements.isThere.get(start, externalId) === undefined) return false
    this.first.add(start)
    return true
  }
}

const sql = {
  find: 'SELECT entity FROM entities WHERE external_id = ?',
  isThere: 'SELECT entity FROM entities WHERE entity = ? AND external_id = ?',
}

/** The start of the entity's stream, if the fact is in that stream and has the start. */
function startOf({ stream, streamStart }: LoggedFact, externalId: string): number | undefined {
  const isItsStream =
    stream.length === externalId.length + entityPrefix.length &&
    stream.endsWith(externalId) &&
    stream.startsWith(entityPrefix)
  return isItsStream ? streamStart : undefined
}

const entityPrefix = 'entity-'

/** The cache holds up to 131,072 streams. One look-up serves a fact and its entity. */
const cacheSize = 65_536

/** Finds the first position of a stream when facts are stored in the read model (table `streams`). */
export class StreamStarts {
  private readonly cache = new StreamIdCache(cacheSize)
  private readonly find: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT id FROM streams WHERE name = ?')
  }

  /**
   * Adds the stream start to a fact. Call it in log order: a stream that is not in the table starts at this fact.
   * `erases` is the id of the entity that the fact erases. Do not store a fact that is returned without a start.
   */
  placed(logged: LoggedFact, erases: string | undefined): LoggedFact {
    const { stream, position } = logged
    // Earlier facts of the stream belong to an erased entity: see `EntityErasing.until`.
    const start = logged.type === 'EntityCreated' ? undefined : this.startOf(stream)
    if (start !== undefined) return { ...logged, streamStart: start }
    if (erases !== undefined) {
      const name = erasedStream(erases)
      return { ...logged, stream: name, streamStart: this.startOf(name) ?? position }
    }
    // A fact after the erasure still belongs to the erased entity, and is not stored.
    if (stream.startsWith(entityPrefix) && logged.type !== 'EntityCreated') return logged
    return { ...logged, streamStart: this.add(stream, position) }
  }

  forget(stream: string): void {
    this.cache.forget(stream)
  }

  startOf(stream: string): number | undefined {
    const cached = this.cache.idOf(stream)
    if (cached !== undefined) return cached
    const found = numberIn(this.find.get(stream))
    return found === undefined ? undefined : this.add(stream, found)
  }

  private add(stream: string, start: number): number {
    this.cache.add(stream, start)
    return start
  }
}
