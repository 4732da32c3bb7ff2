import { readFact } from '../../../application/facts/fact-format.js'
import { factTable } from '../../../application/facts/fact-table.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { Projections } from '../../../application/reading/ports/projections.js'
import type {
  Answer,
  Checkpoint,
  Queries,
  QueryName,
} from '../../../application/reading/ports/read-model.js'
import { logTimeAfter } from '../../../domain/log-time.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { valuesIn } from '../file/row.js'
import { keptFacts } from './kept-facts.js'
import { factsIn, factsInFile } from './known-facts.js'
import { profileProjection } from './profile-projection.js'
import type { AppliedProjection, PlacedFact, Projection } from './projection.js'
import { SqliteQueries } from './queries.js'
import { openReadModelFile, type ReadModelFile } from './read-model-file.js'

export interface ReadModelOptions {
  /** The file of the read model, or `memory:`. */
  readonly path: string
  /** The file of an embedded store, whose facts stay there; undefined: the facts are kept here. */
  readonly factsFile: string | undefined
  /** Told why what was kept is dropped and built anew. */
  readonly onDropped: (reason: string) => void
}

/** While it is built, so many facts are written together: in the order of the tables, which saves pages. */
const maxHeldBack = 50_000

/** To be raised when tables or their meaning change: what was kept is then built anew. */
const formVersion = 1

const checkpointTable = `
  CREATE TABLE checkpoint (
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    log_time INTEGER NOT NULL
  ) STRICT;
  INSERT INTO checkpoint VALUES (0, '', 0);`

/** The projections, in one SQLite file. */
export class SqliteProjections implements Projections {
  private state: Opened

  private constructor(
    private readonly file: ReadModelFile,
    private readonly projections: readonly Projection[],
    private readonly options: ReadModelOptions,
  ) {
    this.state = this.open()
  }

  /** Throws `StoreNotOpened` when the file is in use, is not ours, or cannot be made. */
  static open(options: ReadModelOptions): SqliteProjections {
    const kept = options.factsFile === undefined ? [keptFacts] : []
    const projections = [...kept, profileProjection]
    const tables = [checkpointTable, ...projections.map((projection) => projection.tables)]
    const file = openReadModelFile(
      options.path,
      tables.join('\n'),
      fingerprintOf(options.factsFile),
      options.onDropped,
    )
    return new SqliteProjections(file, projections, options)
  }

  get checkpoint(): Checkpoint {
    return this.state.checkpoint
  }

  get logTime(): number {
    return this.state.logTime
  }

  get isBuilding(): boolean {
    return this.file.isBuilding
  }

  apply(facts: readonly LoggedFact[]): void {
    let { checkpoint, logTime } = this.state
    const placed: PlacedFact[] = []
    let unreadable: { readonly error: unknown } | undefined
    for (const logged of facts) {
      try {
        const fact = readFact(logged)
        if (fact === undefined) continue
        logTime = logTimeAfter(logTime, fact)
        placed.push({ logged, fact, logTime })
        checkpoint = { position: logged.position, id: logged.id }
      } catch (error) {
        unreadable = { error }
        break
      }
    }
    if (placed.length > 0) this.transact(placed, checkpoint, logTime)
    if (unreadable !== undefined) throw unreadable.error
  }

  /** While it is built, one transaction takes all: it begins anew anyway when it does not come to its end. */
  private transact(placed: readonly PlacedFact[], checkpoint: Checkpoint, logTime: number): void {
    const { state } = this
    const { db, applied } = state
    const before = { checkpoint: state.checkpoint, logTime: state.logTime }
    try {
      if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
      for (const projection of applied) projection.apply(placed)
      state.checkpoint = checkpoint
      state.logTime = logTime
      state.heldBack += placed.length
      if (!this.isBuilding || state.heldBack >= maxHeldBack) this.write()
      if (!this.isBuilding) db.exec('COMMIT')
    } catch (error) {
      for (const projection of applied) projection.forget()
      // While it is built there is no journal to go back by: `reopen` begins anew.
      if (db.isTransaction && !this.isBuilding) db.exec('ROLLBACK')
      Object.assign(state, before)
      throw error
    }
    this.file.committed()
  }

  private write(): void {
    const { state } = this
    for (const projection of state.applied) projection.write()
    state.keep.run(state.checkpoint.position, state.checkpoint.id, state.logTime)
    state.heldBack = 0
  }

  beginAnew(): void {
    this.replace(() => {
      this.file.beginAnew()
    })
  }

  finishBuild(): void {
    this.write()
    if (this.state.db.isTransaction) this.state.db.exec('COMMIT')
    this.replace(() => {
      this.file.finishBuild()
    })
  }

  reopen(): void {
    this.replace(() => {
      this.file.reopen()
    })
  }

  answer<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['ask'],
  ): Promise<Answer<Queries[Name]['answer']>> {
    return this.state.queries.answer(name, query, this.state.checkpoint)
  }

  close(): void {
    this.state.queries.close()
    this.file.close()
  }

  private replace(work: () => void): void {
    this.state.queries.close()
    work()
    this.state = this.open()
  }

  private open(): Opened {
    const { db } = this.file
    const { factsFile } = this.options
    const facts = factsFile === undefined ? factsIn(db) : factsInFile(factsFile)
    return {
      db,
      applied: this.projections.map((projection) => projection.over(db)),
      queries: new SqliteQueries(db, facts, factsFile === undefined),
      keep: db.prepare('UPDATE checkpoint SET position = ?, id = ?, log_time = ?'),
      ...keptIn(db),
      heldBack: 0,
    }
  }
}

function keptIn(db: Database) {
  const row = prepareRows(db, 'SELECT position, id, log_time FROM checkpoint').get()
  const [position, id, logTime] = valuesIn(row)
  return { checkpoint: { position: Number(position), id: String(id) }, logTime: Number(logTime) }
}

/** What belongs to one connection. */
interface Opened {
  readonly db: Database
  readonly applied: readonly AppliedProjection[]
  readonly queries: SqliteQueries
  readonly keep: Statement
  checkpoint: Checkpoint
  logTime: number
  /** Facts that are applied and not written. */
  heldBack: number
}

/** A type of fact that was passed over before, or read otherwise, changes what the tables hold. */
function fingerprintOf(factsFile: string | undefined): string {
  const types = Object.values(factTable).map(({ type, version }) => `${type} ${String(version)}`)
  return [
    `form ${String(formVersion)}`,
    factsFile === undefined ? 'with facts' : 'without facts',
    ...types,
  ].join(', ')
}
