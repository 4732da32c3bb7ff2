import { readFact } from '../../../application/facts/fact-format.js'
import type { Fact } from '../../../application/facts/fact-table.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { type StoredFact, UnreadableFact } from '../../../application/facts/stored-fact.js'
import { openDatabase, type Database } from '../file/driver.js'
import { FactReader, type PageLimits } from '../file/fact-reader.js'

export interface ReadFact {
  readonly logged: LoggedFact
  readonly fact: Fact
}

export function factsIn(db: Database): FactsByPosition {
  return new FactsByPosition(new FactReader(db), () => undefined)
}

/** In the file of an embedded store. */
export function factsInFile(path: string): FactsByPosition {
  const db = openDatabase(path, { readOnly: true })
  let isOpen = true
  return new FactsByPosition(new FactReader(db), () => {
    if (isOpen) db.close()
    isOpen = false
  })
}

/** The facts that the read model refers to by their positions. */
export class FactsByPosition {
  /** `close` may be called again. */
  constructor(
    private readonly reader: FactReader,
    readonly close: () => void,
  ) {}

  /** Throws `UnreadableFact` when there is none, or it cannot be read. */
  at(position: number): ReadFact {
    const logged = this.reader.at(position)
    const fact = logged && readFact(logged)
    return logged === undefined || fact === undefined ? missing(position) : { logged, fact }
  }

  /** As they are stored, by position: those that there are. */
  stored(positions: readonly number[]): ReadonlyMap<number, StoredFact> {
    return this.reader.many(positions)
  }

  find(position: number): LoggedFact | undefined {
    return this.reader.at(position)
  }

  page(after: number, until: number, limits: PageLimits): readonly LoggedFact[] {
    return this.reader.page(after, until, limits)
  }
}

/** Throws: a fact that is referred to is there. */
export function missing(position: number): never {
  throw new UnreadableFact(`no fact of ours is at position ${String(position)}`)
}
