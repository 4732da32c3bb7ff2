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

/** Finds the number of an entity, which is the position of its creation. */
export class EntityIds {
  private readonly recent = new StreamIdCache()
  private readonly unwritten = new Map<string, number>()
  /** Entities seen lately that were created by the first fact of their stream; any other is looked up. */
  private readonly first = new PositionCache()
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  /** `logged`: a fact of its stream; where it says how that begins, no name is looked up. */
  of(externalId: string, logged?: LoggedFact): number | undefined {
    const start = logged && startOf(logged, externalId)
    if (start !== undefined && this.isFirst(start, externalId)) return start
    const cached = this.recent.idOf(externalId) ?? this.unwritten.get(externalId)
    if (cached !== undefined) return cached
    const found = numberIn(this.statements.find.get(externalId))
    if (found !== undefined) this.recent.add(externalId, found)
    return found
  }

  /** To be found before it is written. `logged`: its creation. */
  add(externalId: string, logged: LoggedFact): void {
    const { position: entity } = logged
    this.unwritten.set(externalId, entity)
    if (startOf(logged, externalId) === entity) this.first.add(entity)
    else this.recent.add(externalId, entity)
  }

  /** It is erased: another entity may have its name. */
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

/** Where the stream of an entity begins, if the fact is in that one, and says it. */
function startOf({ stream, streamStart }: LoggedFact, externalId: string): number | undefined {
  const isItsStream =
    stream.length === externalId.length + entityPrefix.length &&
    stream.endsWith(externalId) &&
    stream.startsWith(entityPrefix)
  return isItsStream ? streamStart : undefined
}

const entityPrefix = 'entity-'

/** The streams of 131,072 names: one look-up serves the fact itself and the entity that it is about. */
const cacheSize = 65_536

/** Says of facts that are stored in the read model where their streams begin: by the table `streams`. */
export class StreamStarts {
  private readonly cache = new StreamIdCache(cacheSize)
  private readonly find: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT id FROM streams WHERE name = ?')
  }

  /**
   * To be called in the order of positions: a stream that is in no table yet begins here. `erases`: the id of
   * the entity that is erased by the fact. A fact that comes back without a start is not to be stored.
   */
  placed(logged: LoggedFact, erases: string | undefined): LoggedFact {
    const { stream, position } = logged
    // Whatever the stream has before is of an erased entity: see `EntityErasing.until`.
    const start = logged.type === 'EntityCreated' ? undefined : this.startOf(stream)
    if (start !== undefined) return { ...logged, streamStart: start }
    if (erases !== undefined) {
      const name = erasedStream(erases)
      return { ...logged, stream: name, streamStart: this.startOf(name) ?? position }
    }
    // What came behind an erasure is of the erased one, and is stored nowhere.
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
