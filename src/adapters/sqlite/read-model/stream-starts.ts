import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
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

  /** To be called in the order of positions: a stream that is in no table yet begins here. */
  placed(logged: LoggedFact): LoggedFact {
    const { stream, position } = logged
    return { ...logged, streamStart: this.startOf(stream) ?? this.add(stream, position) }
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
