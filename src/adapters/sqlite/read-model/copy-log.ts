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
 * Copies the write-ahead log into the file, and empties it. Meanwhile the file alone is neither the
 * state before nor the one after: a marker beside it says how much of the log has to be there.
 * Returns whether all was copied; false where there was nothing to copy.
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
 * Copies the log beside the writer of the same thread: the flushes, which take longest, are made by
 * other threads, and this one copies pages only. A connection that reads keeps the log from being begun
 * anew meanwhile; what is committed meanwhile stays in it.
 */
export class LogCopier {
  private readonly holder: Database
  private readonly copier: Database
  private readonly path: string
  private readonly file: number
  private isUnderWay = false
  private isCancelled = false
  /** Pages were copied, and may not be on the disk. */
  private isUnflushed = false
  private failure: { readonly error: unknown } | undefined
  /**
   * A flush of copied pages failed: the kernel may have dropped them, a second flush would not say so, and
   * SQLite takes them for copied.
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

  /** Throws what the last copy failed with. */
  assertSound(): void {
    if (this.failure !== undefined) throw this.failure.error
  }

  /** Copies `pages` of log, unless a copy is under way. Throws what the last one failed with. */
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
    // A page that was written again meanwhile was not copied: the file is no state yet, and the
    // log stays until a later copy has all of it.
    if (copied === logged) {
      removeMarker(path)
      this.onCopied()
    }
    holder.exec('COMMIT')
  }

  /** Ends a copy that is under way where it is: `copyLog` or another one goes on. */
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

  /** To be closed before the connection of the writer, which `release` follows. */
  close(): void {
    try {
      this.cancel()
    } finally {
      this.holder.close()
      this.copier.close()
    }
  }

  /** The last connection that is closed copies the log itself, and removes it. */
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

/** Says how many pages of the log have to be there. Returns the open file, which is to be flushed. */
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
 * Pages in the log up to its last commit, to be called when nothing waits for a commit. A log that was
 * begun anew keeps older pages behind its end; they have another salt than its header.
 */
export function loggedPages(path: string): number {
  return inLog(path, 0, (pages) => pages)
}

/** The numbers of the pages of which a commit in the log has a newer state than the file. */
export function pagesInLog(path: string): ReadonlySet<number> {
  return inLog(path, new Set<number>(), (pages, frameAt) => {
    const committed = new Set<number>()
    let sinceCommit: number[] = []
    for (let at = 0; at < pages; at += 1) {
      const frame = frameAt(at)
      sinceCommit.push(frame.readUInt32BE(0))
      // The size of the database, in the last frame of a commit.
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
 * Throws when a part of the log is gone that the file cannot be without. `db`: just opened. Otherwise ends a copy
 * that was under way, where nobody reads: the log may begin anew then, and no part of it has to be there. Returns
 * whether it did.
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
