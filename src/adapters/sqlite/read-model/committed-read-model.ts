import { setTimeout as pause } from 'node:timers/promises'
import { RefusalAt } from '../../../application/ports/refusal.js'
import type {
  QueryName,
  ReadModel,
  ReadStatus,
  Want,
  QueryOf,
  AnswerOf,
} from '../../../application/reading/ports/read-model.js'
import { openDatabase, isSqliteError, type Database } from '../file/driver.js'
import type { Applied } from './queries/answers.js'
import { SqliteQueries } from './queries/queries.js'
import { ReadModelTables } from './read-model-tables.js'
import { storedCheckpoint } from './read-model-version.js'
import { SegmentProjection } from './segments/segment-projection.js'

/** The longest wait of a statement for a lock, in milliseconds. */
const lockWaitMs = 1_000
/** The interval between two checks for a new commit, in milliseconds. */
const pollEveryMs = 10

export interface CommittedFiles {
  readonly readModel: string
  /** The database file of an embedded store. Undefined when the read model stores the facts itself. */
  readonly factsFile: string | undefined
}

interface OpenState {
  readonly tables: ReadModelTables
  readonly queries: SqliteQueries
  readonly applied: Applied
}

/**
 * A second reader of the read model's file, only for previews. The first query finds a commit, and all answers are
 * exact for that commit. Facts and entity logs up to that commit never change. This reader therefore needs no read
 * transaction, which would block WAL checkpoints. Queries other than previews would mix old and new rows.
 */
export class CommittedReadModel implements ReadModel {
  private state: OpenState | undefined

  /** `onLongWork` is called before a query that may run for minutes. */
  constructor(
    private readonly files: CommittedFiles,
    private readonly onLongWork: () => void = () => undefined,
  ) {}

  get status(): ReadStatus {
    const { position = 0, id = '', logTime = 0 } = this.state?.applied ?? {}
    return {
      applied: { position, id },
      reached: position,
      newest: position,
      isBuilding: false,
      fullProfiles: [],
      logTime,
      builds: 0,
      trouble: undefined,
    }
  }

  /** Never calls the watcher, because the status of this reader never changes. */
  watch(): () => void {
    return () => undefined
  }

  async query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    this.state ??= await this.open(want)
    if (name === 'previewRule') this.onLongWork()
    const { queries, applied } = this.state
    return queries.answer(name, query, applied, want.cancellation)
  }

  close(): Promise<void> {
    const { state } = this
    this.state = undefined
    state?.tables.closeFacts()
    state?.tables.db.close()
    return Promise.resolve()
  }

  /** Opens the file as soon as it contains a commit that includes the wanted position. */
  private async open({ position = 0, waitMs }: Want): Promise<OpenState> {
    const db = this.connect()
    try {
      const until = performance.now() + waitMs
      for (;;) {
        const { position: committed } = storedCheckpoint(db).checkpoint
        if (position === 'head' || committed >= position) return this.stateOver(db)
        if (performance.now() > until) throw new RefusalAt('read_model_behind', committed)
        await pause(pollEveryMs)
      }
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Opens the file for reading. Refuses with `read_model_behind` during a rebuild, when the file does not exist. */
  private connect(): Database {
    try {
      return openDatabase(this.files.readModel, { readOnly: true, timeout: lockWaitMs })
    } catch (error) {
      throw isSqliteError(error) ? new RefusalAt('read_model_behind', 0) : error
    }
  }

  private stateOver(db: Database): OpenState {
    // Reads the definitions, the erased entities and the stored position in one transaction, so that all of
    // them belong to the same commit.
    db.exec('BEGIN')
    let tables: ReadModelTables | undefined
    try {
      tables = ReadModelTables.over(db, this.files.factsFile)
      const { checkpoint, logTime } = storedCheckpoint(db)
      const segments = new SegmentProjection(tables, false, () => undefined)
      const queries = new SqliteQueries(tables, segments)
      return { tables, queries, applied: { ...checkpoint, logTime } }
    } catch (error) {
      tables?.closeFacts()
      throw error
    } finally {
      db.exec('COMMIT')
    }
  }
}
