import { existsSync, statSync } from 'node:fs'
import { AuditRefused } from '../../../../application/auditing/audit-account.js'
import { readFileHeader } from '../../file/inspect-file.js'
import { foundPath } from '../../file/paths.js'
import { applicationId as factsId, migrations, valueOf } from '../../file/schema.js'
import { applicationId as readModelId } from '../read-model-files.js'
import type { CommittedFiles } from '../committed-read-model.js'
import { ReadModelTables } from '../read-model-tables.js'
import { fingerprintOf, storedCheckpoint } from '../read-model-version.js'
import { pathToFileURL } from 'node:url'
import { openDatabase, type Database } from '../../file/driver.js'

/** A read model, and the facts that it was made of. Nothing is written. */
export class AuditedFiles {
  private constructor(
    private readonly readModel: ReadOnlyFile,
    private readonly factsFile: ReadOnlyFile | undefined,
  ) {}

  /** Throws `AuditRefused`, and what SQLite says. */
  static open({ readModel, factsFile }: CommittedFiles): AuditedFiles {
    const path = foundPath(readModel)
    refuseUnbuilt(path)
    refuseForeign(path, readModelId, 'READ_MODEL')
    if (factsFile !== undefined) refuseForeign(factsFile, factsId, 'STORE_URL')
    const model = new ReadOnlyFile(path)
    try {
      if (valueOf(model.db, 'SELECT fingerprint FROM form') !== fingerprintOf(factsFile)) {
        throw new AuditRefused(`${path} was made by another version: ${startAnew}`)
      }
      const facts = factsFile === undefined ? undefined : openFacts(factsFile)
      return new AuditedFiles(model, facts)
    } catch (error) {
      model.close()
      throw error
    }
  }

  get db() {
    return this.readModel.db
  }

  /** From here on the read model is read as it is now. Throws as `tables` does. */
  hold(): ReadModelTables {
    this.db.exec('BEGIN')
    return this.tables()
  }

  /** Throws `AuditRefused` when they are not those that the read model was made of. */
  tables(): ReadModelTables {
    const tables = new ReadModelTables(this.db, this.factsFile?.db)
    const { position, id } = storedCheckpoint(this.db).checkpoint
    if (position === 0 || tables.facts.find(position)?.id === id) return tables
    this.assertUnchanged()
    throw new AuditRefused(`the read model was not made of the facts of STORE_URL: ${startAnew}`)
  }

  /** Throws `AuditRefused` when what was read may be half of one state and half of another. */
  assertUnchanged(): void {
    if (!this.readModel.isChanged && this.factsFile?.isChanged !== true) return
    throw new AuditRefused('a service was started or stopped meanwhile: run the audit again')
  }

  close(): void {
    this.readModel.close()
    this.factsFile?.close()
  }
}

const startAnew = 'start the service with these settings, which builds it anew'

function openFacts(path: string): ReadOnlyFile {
  const file = new ReadOnlyFile(path)
  if (valueOf(file.db, 'PRAGMA user_version') === migrations.length) return file
  file.close()
  throw new AuditRefused(
    `${path} was written by another version: run the audit of the version that runs the service`,
  )
}

function refuseUnbuilt(path: string): void {
  if (existsSync(path)) return
  throw new AuditRefused(
    existsSync(`${path}.building`)
      ? `${path} is being built: run the audit when the service answers reads`
      : `${path} is not there: start the service once with these settings, which builds it`,
  )
}

function refuseForeign(path: string, applicationId: number, setting: string): void {
  const isThere = existsSync(path) && statSync(path).isFile()
  if (isThere && readFileHeader(path)?.applicationId === applicationId) return
  throw new AuditRefused(`${path} is no file of Dossier for ${setting}: name the right one there`)
}

/** How long a statement waits while a service opens the file, in milliseconds. */
const lockWaitMs = 5_000

/**
 * A connection that cannot write, to a file that a service may work with. Where none does, the file is
 * read as it is: SQLite would make files beside it, which a service of another user could not open.
 */
class ReadOnlyFile {
  readonly db: Database
  private readonly isAlone: boolean
  private readonly before: string

  constructor(private readonly path: string) {
    this.isAlone = !existsSync(`${path}-wal`)
    this.before = this.look()
    const place = this.isAlone ? `${pathToFileURL(path).href}?immutable=1` : path
    this.db = openDatabase(place, { readOnly: true, timeout: lockWaitMs })
  }

  /** A service came, and wrote to the file while it was read as it is. */
  get isChanged(): boolean {
    return this.isAlone && this.look() !== this.before
  }

  close(): void {
    this.db.close()
  }

  private look(): string {
    const { size, mtimeMs } = statSync(this.path)
    return `${String(size)} ${String(mtimeMs)}`
  }
}
