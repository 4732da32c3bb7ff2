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

/** How long a statement waits for a lock, in milliseconds. */
const lockWaitMs = 1_000
/** How often it looks whether more was committed, in milliseconds. */
const lookEveryMs = 10

export interface CommittedFiles {
  readonly readModel: string
  /** The file of an embedded store; undefined: the facts are in the read model. */
  readonly factsFile: string | undefined
}

interface OpenState {
  readonly tables: ReadModelTables
  readonly queries: SqliteQueries
  readonly applied: Applied
}

/**
 * A second reader of the file of a read model, for work that is to be done beside the one that follows the
 * log: it answers as of the commit that it found at its first query. What was stored for an entity up to
 * there never changes, so each statement reads for itself, and no commit is kept from being copied into
 * the file. For queries of another kind than those of previews, what it says is neither old nor new.
 */
export class CommittedReadModel implements ReadModel {
  private state: OpenState | undefined

  /** `onLongWork`: called before a query that may take minutes. */
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
      segments: undefined,
      trouble: undefined,
    }
  }

  /** It stays as it is. */
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

  /** At a commit that has the position; the next one comes soon after a fact was applied. */
  private async open({ position = 0, waitMs }: Want): Promise<OpenState> {
    const db = this.connect()
    try {
      const until = performance.now() + waitMs
      for (;;) {
        const { position: committed } = storedCheckpoint(db).checkpoint
        if (position === 'head' || committed >= position) return this.stateOver(db)
        if (performance.now() > until) throw new RefusalAt('read_model_behind', committed)
        await pause(lookEveryMs)
      }
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** A read model that is begun anew has no file of this name for a while. */
  private connect(): Database {
    try {
      return openDatabase(this.files.readModel, { readOnly: true, timeout: lockWaitMs })
    } catch (error) {
      throw isSqliteError(error) ? new RefusalAt('read_model_behind', 0) : error
    }
  }

  private stateOver(db: Database): OpenState {
    // The definitions, who is erased and the checkpoint of one commit.
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
