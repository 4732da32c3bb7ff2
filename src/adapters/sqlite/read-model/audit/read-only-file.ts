import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { openDatabase, type Database } from '../../file/driver.js'

/** How long a statement waits while a service opens the file, in milliseconds. */
const lockWaitMs = 5_000

/**
 * A connection that cannot write, to a file that a service may work with. Where none does, the file is
 * read as it is: SQLite would make files beside it, which a service of another user could not open.
 */
export class ReadOnlyFile {
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
