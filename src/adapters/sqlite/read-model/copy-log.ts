import {
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { checkpoint } from '../file/open-connection.js'
import { openDatabase, prepareRows, type Database } from '../file/driver.js'
import type { HeldFile } from '../file/held-file.js'
import { flushFolder } from '../file/paths.js'
import { numbersIn } from '../file/row.js'
import { valueOf } from '../file/schema.js'

const headerBytes = 32
const frameHeaderBytes = 24

/**
 * Copies the WAL into the file and empties it. During the copy the file alone is inconsistent, so a marker file says
 * how many pages the WAL must have.
 * Returns whether everything was copied; false when there was nothing to copy.
 */
export function copyLog(db: Database, path: string): boolean {
  const pages = loggedPages(path)
  if (pages === 0) return false
  const marker = mark(path, pages)
  fsyncSync(marker)
  closeSync(marker)
  flushFolder(dirname(path))
  const row = prepareRows(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get()
  const [, logged = -1, copied = -1] = numbersIn(row)
  // A reader may keep a log that is copied; the next commit begins it anew. -1: nothing was done.
  if (copied < 0 || copied < logged) return false
  removeMarker(path)
  return true
}

/**
 * Copies the WAL while the writer of the same thread goes on. Node's thread pool does the slow flushes; this thread
 * only copies pages. A read transaction prevents a restart of the WAL during the copy, and new commits stay in it.
 */
export class LogCopier {
  private readonly holder: Database
  private readonly copier: Database
  private readonly path: string
  private readonly file: number
  private isUnderWay = false
  private isCancelled = false
  /** True while copied pages may not be on the disk yet. */
  private isUnflushed = false
  private failure: { readonly error: unknown } | undefined
  /**
   * True after a failed flush. The kernel may have dropped copied pages, a second flush would succeed without them,
   * and SQLite assumes that they were copied.
   */
  mayLackPages = false

  /** `onCopied`: called when all of the log was copied. */
  constructor(
    file: HeldFile,
    private readonly onCopied: () => void = () => undefined,
  ) {
    const { path } = file
    this.path = path
    this.holder = openDatabase(path, { readOnly: true })
    this.copier = openDatabase(path)
    this.copier.exec('PRAGMA synchronous = OFF')
    valueOf(this.copier, 'SELECT fingerprint FROM form')
    this.file = file.descriptor
  }

  /** Throws the error of the last copy, if it failed. */
  assertSound(): void {
    if (this.failure !== undefined) throw this.failure.error
  }

  /** Starts to copy `pages` of the WAL, unless a copy is running. Throws the error of the last copy, if it failed. */
  begin(pages: number): void {
    this.assertSound()
    if (this.isUnderWay) return
    this.isUnderWay = true
    this.isCancelled = false
    this.copy(pages).then(
      () => {
        this.isUnderWay = false
      },
      (error: unknown) => {
        this.isUnderWay = false
        this.mayLackPages ||= this.isUnflushed
        if (!this.isCancelled || this.mayLackPages) this.failure = { error }
      },
    )
  }

  private async copy(pages: number): Promise<void> {
    const { holder, path } = this
    const isCancelled = () => this.isCancelled
    holder.exec('BEGIN')
    valueOf(holder, 'SELECT fingerprint FROM form')
    await flushAll([mark(path, pages), ...folderOf(path), openSync(`${path}-wal`, 'r')])
    if (isCancelled()) return
    const { logged, copied } = checkpoint(this.copier)
    this.isUnflushed = true
    await promisify(fsync)(this.file)
    if (isCancelled()) return
    this.isUnflushed = false
    // A page that was written again during the copy was not copied. The file is then inconsistent, and the marker
    // stays until a later copy is complete.
    if (copied === logged) {
      removeMarker(path)
      this.onCopied()
    }
    holder.exec('COMMIT')
  }

  /** Stops a running copy. `copyLog` or a later copy continues it. */
  cancel(): void {
    this.isCancelled = true
    if (this.isUnflushed) this.flushCopied()
    this.isUnflushed = false
    if (this.holder.isTransaction) this.holder.exec('COMMIT')
  }

  private flushCopied(): void {
    try {
      fsyncSync(this.file)
    } catch (error) {
      this.mayLackPages = true
      this.failure = { error }
    }
  }

  /** Call before the writer's connection is closed, and `release` afterwards. */
  close(): void {
    try {
      this.cancel()
    } finally {
      this.holder.close()
      this.copier.close()
    }
  }

  /** Removes the marker if closing the last connection has copied and removed the WAL. */
  release(): void {
    if (loggedPages(this.path) === 0) removeMarker(this.path)
  }
}

async function flushAll(files: readonly number[]): Promise<void> {
  try {
    await Promise.all(files.map((file) => promisify(fsync)(file)))
  } finally {
    for (const file of files) closeSync(file)
  }
}

function folderOf(path: string): readonly number[] {
  return process.platform === 'win32' ? [] : [openSync(dirname(path), 'r')]
}

/** Writes the marker with the number of WAL pages. Returns the open file; the caller flushes it. */
function mark(path: string, pages: number): number {
  const marker = openSync(markerPath(path), 'w', 0o600)
  try {
    writeFileSync(marker, String(pages))
    return marker
  } catch (error) {
    closeSync(marker)
    throw error
  }
}

/**
 * The number of WAL pages up to the last commit. Call it outside a transaction. A restarted WAL keeps older pages
 * after its end; their salt differs from the header's.
 */
export function loggedPages(path: string): number {
  return inLog(path, 0, (pages) => pages)
}

/** The numbers of the pages that commits in the WAL contain. */
export function pagesInLog(path: string): ReadonlySet<number> {
  return inLog(path, new Set<number>(), (pages, frameAt) => {
    const committed = new Set<number>()
    let sinceCommit: number[] = []
    for (let at = 0; at < pages; at += 1) {
      const frame = frameAt(at)
      sinceCommit.push(frame.readUInt32BE(0))
      // Only the last frame of a commit has a database size here.
      if (frame.readUInt32BE(4) === 0) continue
      for (const page of sinceCommit) committed.add(page)
      sinceCommit = []
    }
    return committed
  })
}

function inLog<T>(
  path: string,
  empty: T,
  use: (pages: number, frameAt: (at: number) => Buffer) => T,
): T {
  if (!existsSync(`${path}-wal`)) return empty
  const log = openSync(`${path}-wal`, 'r')
  try {
    const { size } = fstatSync(log)
    const header = Buffer.alloc(headerBytes)
    if (readSync(log, header, 0, headerBytes, 0) < headerBytes) return empty
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
    const salts = header.subarray(16, 24)
    const frame = Buffer.alloc(frameHeaderBytes)
    const frameAt = (at: number) => {
      const read = readSync(log, frame, 0, frameHeaderBytes, headerBytes + at * frameBytes)
      return frame.subarray(0, read)
    }
    const isThere = (at: number) => salts.equals(frameAt(at).subarray(8, 16))
    let low = 0
    let high = Math.floor((size - headerBytes) / frameBytes)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (isThere(middle)) low = middle + 1
      else high = middle
    }
    return use(low, frameAt)
  } finally {
    closeSync(log)
  }
}

/**
 * Throws when WAL pages are missing that the file needs. `db` was just opened. If a copy was under way and nobody
 * reads, the copy is completed, since the WAL may then begin again. Returns whether it was completed.
 */
export function assertWholeLog(db: Database, path: string): boolean {
  const marker = markerPath(path)
  if (!existsSync(marker)) return false
  const { logged, copied } = checkpoint(db)
  if (logged < Number(readFileSync(marker, 'utf8'))) throw new Error('a part of its log is gone')
  if (copied < logged) return false
  removeMarker(path)
  return true
}

export function removeMarker(path: string): void {
  rmSync(markerPath(path), { force: true })
}

function markerPath(path: string): string {
  return `${path}-copying`
}
