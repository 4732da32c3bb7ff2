import { existsSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  AuditRefused,
  type AuditPlan,
  type AuditProgress,
} from '../../../../application/auditing/audit-account.js'
import { openDatabase, type Database } from '../../file/driver.js'
import { readFileHeader } from '../../file/inspect-file.js'
import { foundPath } from '../../file/paths.js'
import { applicationId as factsId, migrations, valueOf } from '../../file/schema.js'
import type { CommittedFiles } from '../committed-read-model.js'
import { applicationId as readModelId, auditFolder, buildingPath } from '../read-model-files.js'
import { ReadModelTables } from '../read-model-tables.js'
import { fingerprintOf, storedCheckpoint } from '../read-model-version.js'

/** A copy of the read model at one commit, with access to the facts and a folder for the rebuilt read model. */
export class Snapshot {
  readonly rebuiltPath: string

  private constructor(
    private readonly folder: string,
    readonly tables: ReadModelTables,
    private readonly facts: ReadOnlyFile | undefined,
  ) {
    this.rebuiltPath = join(folder, 'rebuilt.db')
    // Removes the copy when the program exits, because the copy contains customers' data.
    process.once('exit', this.removeFolder)
  }

  /** Copies the read model and opens the facts. Throws `AuditRefused` and SQLite errors. */
  static take({ readModel, factsFile }: CommittedFiles, progress: AuditProgress): Snapshot {
    const path = foundPath(readModel)
    refuseUnbuilt(path)
    refuseForeign(path, readModelId, 'READ_MODEL')
    if (factsFile !== undefined) refuseForeign(factsFile, factsId, 'STORE_URL')
    const folder = auditFolder(path)
    let db: Database | undefined
    let facts: ReadOnlyFile | undefined
    try {
      db = copyOf(path, { folder, factsFile, progress })
      facts = factsFile === undefined ? undefined : openFacts(factsFile)
      const snapshot = new Snapshot(folder, new ReadModelTables(db, facts?.db), facts)
      snapshot.assertSameFacts()
      return snapshot
    } catch (error) {
      facts?.db.close()
      db?.close()
      removeFolder(folder)
      throw error
    }
  }

  /**
   * The path or URL of the file with the facts, for the rebuilt read model. Undefined when the read model
   * stores the facts itself.
   */
  get factsPlace(): string | undefined {
    return this.facts?.place
  }

  /**
   * Throws `AuditRefused` when the facts may have changed while the audit read them, or when the files of the audit
   * are missing. A service that starts removes the files of an audit.
   */
  assertUnchanged(): void {
    if (this.facts?.isChanged === true || !existsSync(this.folder)) throw interrupted()
  }

  /** Closes and removes the files of the audit. */
  remove(): void {
    this.facts?.db.close()
    this.tables.db.close()
    this.removeFolder()
    process.off('exit', this.removeFolder)
  }

  private readonly removeFolder = (): void => {
    removeFolder(this.folder)
  }

  /** Opens the rebuilt read model. Call it when `rebuild` has finished. */
  openRebuilt(): ReadModelTables {
    return new ReadModelTables(openDatabase(this.rebuiltPath), this.facts?.db)
  }

  private assertSameFacts(): void {
    const { db, facts } = this.tables
    const { position, id } = storedCheckpoint(db).checkpoint
    if (position === 0 || facts.find(position)?.id === id) return
    if (this.tables.erased.explains(position)) return
    throw new AuditRefused(
      `the read model does not belong to the facts of STORE_URL: ${rebuildAdvice}`,
    )
  }
}

const rebuildAdvice = 'start the service with these settings, which rebuilds the read model'

function interrupted(): AuditRefused {
  return new AuditRefused(
    'a service or another audit was started or stopped during the audit: run the audit again',
  )
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

interface CopyOptions {
  readonly folder: string
  readonly factsFile: string | undefined
  readonly progress: AuditProgress
}

/** Copies the read model into the folder. The original file is open only during the copy. */
function copyOf(path: string, { folder, factsFile, progress }: CopyOptions): Database {
  const copy = join(folder, 'snapshot.db')
  const source = new ReadOnlyFile(path)
  try {
    if (valueOf(source.db, 'SELECT fingerprint FROM form') !== fingerprintOf(factsFile)) {
      throw new AuditRefused(`${path} was written by another version: ${rebuildAdvice}`)
    }
    const plan = planOf(path, factsFile, source.db)
    refuseWithoutRoom(plan)
    progress.plan(plan)
    progress.begin('copying')
    removeFolder(folder)
    mkdirSync(folder, { mode: 0o700 })
    source.db.exec('PRAGMA synchronous = OFF')
    source.db.prepare('VACUUM INTO ?').run(copy)
    progress.done(0, 1)
    if (source.isChanged) throw interrupted()
  } finally {
    source.db.close()
  }
  const db = openDatabase(copy)
  db.exec('PRAGMA cache_size = -65536')
  return db
}

/** The approximate number of facts that an audit reads and compares per second, on two processors. */
const factsPerSecond = 20_000
/** The approximate number of bytes per fact in a read model that stores the facts itself. */
const bytesOfAFact = 400
/**
 * The number of files of the audit that are as large as the read model: the copy and the rebuilt read model.
 */
const copies = 2

function planOf(path: string, factsFile: string | undefined, db: Database): AuditPlan {
  const size = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0
  const bytes = size(path) + size(`${path}-wal`)
  const { position } = storedCheckpoint(db).checkpoint
  // Uses the stored position as the number of facts, because the positions of an embedded store have no gaps.
  const facts = factsFile === undefined ? Math.ceil(bytes / bytesOfAFact) : position
  const seconds = Math.ceil(facts / factsPerSecond)
  return { facts, seconds, bytes: copies * bytes, folder: dirname(path) }
}

function refuseWithoutRoom({ bytes, folder }: AuditPlan): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free >= bytes) return
  throw new AuditRefused(
    `an audit needs ${String(bytes)} bytes of disk in ${folder}, where ${String(free)} are free`,
  )
}

function openFacts(path: string): ReadOnlyFile {
  const file = new ReadOnlyFile(path)
  if (valueOf(file.db, 'PRAGMA user_version') === migrations.length) return file
  file.db.close()
  throw new AuditRefused(
    `${path} was written by another version: run the audit of the version that runs the service`,
  )
}

function refuseUnbuilt(path: string): void {
  if (existsSync(path)) return
  throw new AuditRefused(
    existsSync(buildingPath(path))
      ? `${path} is being rebuilt: run the audit when the service answers reads`
      : `${path} does not exist: start the service once with these settings, which creates it`,
  )
}

function refuseForeign(path: string, applicationId: number, setting: string): void {
  const isThere = existsSync(path) && statSync(path).isFile()
  if (isThere && readFileHeader(path)?.applicationId === applicationId) return
  throw new AuditRefused(`${path} is not a Dossier file for ${setting}: set it to the right file`)
}

/** The longest wait of a statement while a service opens the file, in milliseconds. */
const lockWaitMs = 5_000

/**
 * A read-only connection to a file that a service may be using. If no service uses the file, the connection
 * uses `immutable=1`. Without this option SQLite would create files next to the database, and a service that
 * runs as another user could not open these files.
 */
class ReadOnlyFile {
  readonly db: Database
  /** A path or URL that opens the file with the same options as this connection. */
  readonly place: string
  private readonly isAlone: boolean
  private readonly before: string

  constructor(private readonly path: string) {
    this.isAlone = !existsSync(`${path}-wal`)
    this.before = this.sizeAndTime()
    this.place = this.isAlone ? `${pathToFileURL(path).href}?immutable=1` : path
    this.db = openDatabase(this.place, { readOnly: true, timeout: lockWaitMs })
  }

  /** Returns whether a service has written to the file since it was opened with `immutable=1`. */
  get isChanged(): boolean {
    return this.isAlone && this.sizeAndTime() !== this.before
  }

  private sizeAndTime(): string {
    const { size, mtimeMs } = statSync(this.path)
    return `${String(size)} ${String(mtimeMs)}`
  }
}
