import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { erasedStream } from '../../../domain/erasures.js'
import { entityPrefix } from './entity-ids.js'
import { StreamIdCache } from '../file/stream-id-cache.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numberIn } from '../file/row.js'

/** The streams of 131,072 names: one look-up serves the fact itself and the entity that it is about. */
const cacheSize = 65_536

/** Says of facts that are stored in the read model where their streams begin: by the table `streams`. */
export class StreamStarts {
  private readonly cache = new StreamIdCache(cacheSize)
  private readonly find: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT id FROM streams WHERE name = ?')
  }

  /** To be called in the order of positions: a stream that is in no table yet begins here. `erases`: the id of the entity that is erased by it. Without a start: it is not to be stored. */
  placed(logged: LoggedFact, erases: string | undefined): LoggedFact {
    const { stream, position } = logged
    const start = this.startOf(stream)
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

  private startOf(stream: string): number | undefined {
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
