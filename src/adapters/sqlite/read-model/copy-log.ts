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
 * Copies the WAL into the database file and empties the WAL. During the copy, the database file is inconsistent
 * without the WAL. A marker file therefore records the number of pages that the WAL must contain. Returns true
 * when all pages were copied. Returns false when some pages were not copied or when the WAL was empty.
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
  // Ignores a reader that keeps the WAL from being emptied after all pages were copied. The next commit then
  // restarts the WAL. -1 means that nothing was copied.
  if (copied < 0 || copied < logged) return false
  removeMarker(path)
  return true
}

/**
 * Copies the WAL into the database file while commits continue on the same thread. This thread only copies
 * pages; Node's thread pool carries out the slow flushes. An open read transaction keeps SQLite from restarting
 * the WAL during the copy, so new commits stay in the WAL.
 */
export class LogCopier {
  private readonly holder: Database
  private readonly copier: Database
  private readonly path: string
  private readonly file: number
  private isCopying = false
  private isCancelled = false
  /** True from the copy of pages until their flush to the disk has succeeded. */
  private isUnflushed = false
  private failure: { readonly error: unknown } | undefined
  /**
   * True after a failed flush. The kernel may have dropped copied pages. A second flush would then succeed
   * without these pages, and SQLite would assume that the file contains them.
   */
  mayLackPages = false

  /** `onCopied` is called whenever all pages of the WAL were copied. */
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

  /** Throws the error of the last copy if that copy failed. */
  assertSound(): void {
    if (this.failure !== undefined) throw this.failure.error
  }

  /**
   * Starts to copy the WAL, which contains `pages` pages. Does nothing while a copy is running. Throws the
   * error of the last copy if that copy failed.
   */
  begin(pages: number): void {
    this.assertSound()
    if (this.isCopying) return
    this.isCopying = true
    this.isCancelled = false
    this.copy(pages).then(
      () => {
        this.isCopying = false
      },
      (error: unknown) => {
        this.isCopying = false
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
    // Keeps the marker if pages were written during the copy, because these pages are not copied and the
    // database file is inconsistent without the WAL. The marker stays until a later copy is complete.
    if (copied === logged) {
      removeMarker(path)
      this.onCopied()
    }
    holder.exec('COMMIT')
  }

  /** Stops a running copy. The next copy, or `copyLog`, copies the remaining pages. */
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

  /**
   * Stops the copy and closes both connections of the copier. Call it before the writer's connection closes.
   */
  close(): void {
    try {
      this.cancel()
    } finally {
      this.holder.close()
      this.copier.close()
    }
  }

  /**
   * Removes the marker if SQLite copied and removed the WAL when the last connection closed. Call it after the
   * writer's connection is closed.
   */
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

/**
 * Writes the marker with the number of WAL pages. Returns the descriptor of the open marker file, which the
 * caller must flush.
 */
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
 * Returns the number of WAL pages up to the last commit. Call it outside a transaction. A restarted WAL still
 * contains older pages after the new pages. The salt of an older page differs from the salt in the header.
 */
export function loggedPages(path: string): number {
  return inLog(path, 0, (pages) => pages)
}

/** Returns the numbers of the database pages that the committed pages of the WAL replace. */
export function pagesInLog(path: string): ReadonlySet<number> {
  return inLog(path, new Set<number>(), (pages, frameAt) => {
    const committed = new Set<number>()
    let sinceCommit: number[] = []
    for (let at = 0; at < pages; at += 1) {
      const frame = frameAt(at)
      sinceCommit.push(frame.readUInt32BE(0))
      // Only the last frame of a commit contains the database size. All other frames contain 0.
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
 * Throws when the WAL lacks pages that the database file needs. Call it directly after opening `db`. If a copy
 * was interrupted and no reader blocks a new copy, this function completes the copy and returns true. The next
 * commit may then restart the WAL.
 */
export function assertCompleteLog(db: Database, path: string): boolean {
  const marker = markerPath(path)
  if (!existsSync(marker)) return false
  const { logged, copied } = checkpoint(db)
  if (logged < Number(readFileSync(marker, 'utf8')))
    throw new Error('a part of its write-ahead log is missing')
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
