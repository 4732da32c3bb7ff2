import { openDatabase, type Database } from '../file/driver.js'
import { FactReader } from '../file/fact-reader.js'
import { ClockFloors } from './clock-floors.js'
import { Dictionary } from './dictionary/dictionary.js'
import { EventRecount } from './dictionary/event-recount.js'
import { EntityIds, StreamStarts } from './entity-ids.js'
import { EntityChanges } from './entity-log/entity-changes.js'
import { EntityEvents } from './entity-log/entity-events.js'
import { EntityLogs } from './entity-log/entity-logs.js'
import { ErasedEntities } from './erased-entities.js'
import { LogTimes } from './log-times.js'
import { LentProfiles } from './thread/lent-profiles.js'

/** The tables that all projections of a read model use, over one connection. */
export class ReadModelTables {
  readonly facts: FactReader
  readonly ids: EntityIds
  readonly logs: EntityLogs
  readonly changes: EntityChanges
  readonly events: EntityEvents
  readonly erased: ErasedEntities
  /** Undefined with an embedded store, which provides the position of each stream's first fact. */
  readonly streams: StreamStarts | undefined
  /** Undefined with an embedded store, which preserves the log time of removed facts. */
  readonly clockFloors: ClockFloors | undefined
  readonly logTimes: LogTimes
  readonly dictionary: Dictionary
  readonly recount: EventRecount
  /**
   * Writes the facts that a projection has buffered. The projection of facts, if there is one, replaces this
   * function.
   */
  writeFacts: () => void = () => undefined

  /**
   * `factsDb` is a connection to the file of an embedded store. Undefined when the read model stores the facts
   * itself. `lent` tracks the profiles that another thread keeps, if there is one.
   */
  constructor(
    readonly db: Database,
    private readonly factsDb: Database | undefined,
    readonly lent = new LentProfiles(0),
  ) {
    this.facts = new FactReader(factsDb ?? db)
    this.ids = new EntityIds(db)
    this.logs = new EntityLogs(db)
    const { facts, logs } = this
    const writeFacts = () => {
      this.writeFacts()
    }
    this.changes = new EntityChanges({ facts, logs, writeFacts })
    this.events = new EntityEvents({ facts, logs, changes: this.changes, writeFacts })
    this.erased = new ErasedEntities(db)
    this.logTimes = new LogTimes(this)
    this.dictionary = new Dictionary(db)
    this.recount = new EventRecount(this)
    if (!this.keepsFacts) return
    this.streams = new StreamStarts(db)
    this.clockFloors = new ClockFloors(this)
  }

  /**
   * Opens the tables. `factsFile` is the file of an embedded store. Undefined when the read model stores the
   * facts itself.
   */
  static over(db: Database, factsFile: string | undefined, lent?: LentProfiles): ReadModelTables {
    if (factsFile === undefined) return new ReadModelTables(db, undefined, lent)
    const factsDb = openDatabase(factsFile, { readOnly: true })
    try {
      return new ReadModelTables(db, factsDb, lent)
    } catch (error) {
      factsDb.close()
      throw error
    }
  }

  /** Returns whether the read model stores the facts itself. */
  get keepsFacts(): boolean {
    return this.factsDb === undefined
  }

  closeFacts(): void {
    this.factsDb?.close()
  }
}
