import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { StreamIdCache } from '../file/stream-id-cache.js'
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

/**
 * Finds the number of an entity by its external id. The number is the position of the fact that created the
 * entity.
 */
export class EntityIds {
  private readonly recent = new StreamIdCache()
  private readonly unwritten = new Map<string, number>()
  /**
   * The recently used entities whose creation is the first fact of their stream. All other entities are found
   * by their external id in the table.
   */
  private readonly first = new PositionCache()
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  /**
   * Returns the number of an entity, or undefined when the entity does not exist. `logged` is any fact of the
   * entity's stream. If `logged` contains the position of the stream's first fact, a lookup in the table is often
   * unnecessary.
   */
  of(externalId: string, logged?: LoggedFact): number | undefined {
    const start = logged && startOf(logged, externalId)
    if (start !== undefined && this.isFirst(start, externalId)) return start
    const cached = this.recent.idOf(externalId) ?? this.unwritten.get(externalId)
    if (cached !== undefined) return cached
    const found = numberIn(this.statements.find.get(externalId))
    if (found !== undefined) this.recent.add(externalId, found)
    return found
  }

  /** Adds a new entity that is not in the table yet. `logged` is the fact that created the entity. */
  add(externalId: string, logged: LoggedFact): void {
    const { position: entity } = logged
    this.unwritten.set(externalId, entity)
    if (startOf(logged, externalId) === entity) this.first.add(entity)
    else this.recent.add(externalId, entity)
  }

  /** Removes an erased entity. A new entity may then use the external id. */
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

/**
 * Returns the position of the first fact of the stream, if `logged` contains this position and belongs to the
 * entity's stream.
 */
function startOf({ stream, streamStart }: LoggedFact, externalId: string): number | undefined {
  const isItsStream =
    stream.length === externalId.length + entityPrefix.length &&
    stream.endsWith(externalId) &&
    stream.startsWith(entityPrefix)
  return isItsStream ? streamStart : undefined
}

const entityPrefix = 'entity-'

/**
 * The size of each of the two maps in the cache, so the cache contains up to 131,072 streams. The cache is
 * large because each fact needs two lookups: one for its stream and one for its entity.
 */
const cacheSize = 65_536

/**
 * Finds the position of a stream's first fact in the table `streams`. It is used when the read model stores the
 * facts, because the store then does not provide that position.
 */
export class StreamStarts {
  private readonly cache = new StreamIdCache(cacheSize)
  private readonly find: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT id FROM streams WHERE name = ?')
  }

  /**
   * Returns the fact with the position of its stream's first fact (`streamStart`). Call it in log order: a fact
   * whose stream is not in the table is the first fact of the stream. `erases` is the id of the entity that the
   * fact erases. If the result has no `streamStart`, the caller must not store the fact.
   */
  placed(logged: LoggedFact, erases: string | undefined): LoggedFact {
    const { stream, position } = logged
    // A creation always starts a stream, because older facts in a stream with that name belong to an erased
    // entity: see `EntityErasing.until`.
    const start = logged.type === 'EntityCreated' ? undefined : this.startOf(stream)
    if (start !== undefined) return { ...logged, streamStart: start }
    if (erases !== undefined) {
      const name = erasedStream(erases)
      return { ...logged, stream: name, streamStart: this.startOf(name) ?? position }
    }
    // The entity of this fact is erased already, so the fact must not be stored.
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
