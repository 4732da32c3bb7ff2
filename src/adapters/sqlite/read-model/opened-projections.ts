import type {
  Checkpoint,
  FullProfiles,
  SegmentsStatus,
} from '../../../application/reading/ports/read-model.js'
import type { ErasureAhead } from '../../../application/reading/ports/projections.js'
import { type Database, type Statement, reasonOf } from '../file/driver.js'
import { DueInstants } from './due-instants.js'
import { EntityErasing, LongWork } from './entity-erasing.js'
import type { AppliedProjection, PlacedFact, Projection } from './projection.js'
import { indexProperties } from './property-index.js'
import { SqliteQueries } from './queries/queries.js'
import type { ReadModelFile } from './read-model-file.js'
import { ReadModelTables } from './read-model-tables.js'
import { storedCheckpoint } from './read-model-version.js'
import { SegmentProjection } from './segments/segment-projection.js'
import type { OnDiverged } from './segments/publications.js'
import { defaultSliceMs } from './queries/slice.js'

export interface ReadModelOptions {
  /** The file of the read model, or `memory:`. */
  readonly path: string
  /** The file of an embedded store, whose facts stay there; undefined: the facts are stored here. */
  readonly factsFile: string | undefined
  readonly searchProperties?: readonly string[]
  readonly onDropped: (reason: string) => void
  readonly onDiverged: OnDiverged
  /** How long work goes on before other work runs, in milliseconds. */
  readonly sliceMs?: number
}

const nothingToDo: SegmentsStatus = {
  nextDue: undefined,
  hasUnpublished: false,
  figures: {},
}

export interface OpenedProjections {
  readonly tables: ReadModelTables
  readonly applied: readonly AppliedProjection[]
  readonly erasing: EntityErasing
  readonly work: LongWork
  readonly segments: SegmentProjection
  readonly queries: SqliteQueries
  readonly due: DueInstants
  readonly keep: Statement
  checkpoint: Checkpoint
  logTime: number
  fullProfiles: FullProfiles
  /** A copy, which is still there when the file fails. */
  segmentsStatus: SegmentsStatus
  /** Facts that are applied and not written. */
  buffered: number
  /** Changes that are written and not committed. */
  uncommitted: number
  /** Its connection is closed, or about to be. */
  isLeft: boolean
}

export function openProjections(
  file: ReadModelFile,
  projections: readonly Projection[],
  options: ReadModelOptions,
): OpenedProjections {
  const { factsFile, onDiverged, sliceMs = defaultSliceMs } = options
  indexWanted(file, options)
  const { db } = file
  const tables = ReadModelTables.over(db, factsFile)
  emptyLogIn({ tables }, file)
  const segments = new SegmentProjection(tables, !file.isBuilding, onDiverged)
  const queries = new SqliteQueries(tables, segments)
  const applied = [...projections.map((projection) => projection.over(tables)), segments]
  const erasing = new EntityErasing(tables, segments, applied)
  return {
    tables,
    applied,
    erasing,
    work: new LongWork(erasing, segments.builds),
    segments,
    segmentsStatus: nothingToDo,
    queries,
    due: new DueInstants(file, segments, queries.memberships, sliceMs),
    fullProfiles: queries.profiles.full(),
    keep: db.prepare('UPDATE checkpoint SET position = ?, id = ?, log_time = ?'),
    ...storedCheckpoint(db),
    buffered: 0,
    uncommitted: 0,
    isLeft: false,
  }
}

/** Nothing of those who are gone is to be in the log. False: a reader keeps it, and it is to be tried again. */
export function emptyLogIn(
  { tables: { erased } }: Pick<OpenedProjections, 'tables'>,
  file: ReadModelFile,
): boolean {
  if (!erased.mustEmptyLog) return true
  const isEmpty = file.emptyLog()
  if (isEmpty) erased.mustEmptyLog = false
  return isEmpty
}

/** Writes what the facts change, in the transaction of those before. */
export function applyIn(
  state: OpenedProjections,
  placed: readonly PlacedFact[],
  isBuilding: boolean,
): void {
  const { applied, erasing } = state
  const { db } = state.tables
  if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
  erasing.apply(placed)
  for (const projection of applied) {
    projection.apply(placed)
    // The ones after it look into its tables.
    if (!isBuilding) projection.write()
  }
  const last = placed.at(-1)
  if (last === undefined) return
  state.checkpoint = { position: last.logged.position, id: last.logged.id }
  state.logTime = last.logTime
  state.buffered += placed.length
}

/** Returns whether something is to be committed. While due instants are evaluated, the next look comes first. */
export function foreseeIn(
  { tables: { db }, due, erasing }: OpenedProjections,
  erasures: readonly ErasureAhead[],
): boolean {
  if (erasures.length === 0 || due.isPartlyDone) return false
  if (!db.isTransaction) db.exec('BEGIN IMMEDIATE')
  erasing.foresee(erasures)
  return true
}

/** A file of other pointers is brought up to date, which takes as long as to read all of its profiles. */
function indexWanted(
  file: ReadModelFile,
  { searchProperties = [], onDropped }: ReadModelOptions,
): void {
  try {
    indexProperties(file.db, searchProperties)
  } catch (error) {
    if (file.isBuilding) throw error
    onDropped(`its profiles cannot be indexed: ${reasonOf(error)}`)
    file.beginAnew()
    indexProperties(file.db, searchProperties)
  }
}

/** Gives up a transaction, if there is one. */
export function rollBack(db: Database, { onDropped }: ReadModelOptions): void {
  if (!db.isTransaction) return
  try {
    db.exec('ROLLBACK')
  } catch (error) {
    onDropped(`a transaction could not be rolled back: ${reasonOf(error)}`)
  }
}
