import { existsSync, statSync, closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { openDatabase } from './driver.js'
import { applicationId, migrations, valueOf } from './schema.js'

/**
 * Throws `StoreNotOpened` when the file is not a Dossier store, was written by a newer version of Dossier, or
 * is damaged. Accepts a missing or empty file, because the starting store creates the database in it. The check
 * changes nothing: it reads the header as bytes, and the pages with a read-only connection.
 */
export function inspectFile(path: string): void {
  refuseOtherNames(path, '')
  refuseMountedFile(path)
  const bytes = existsSync(path) ? statSync(path).size : 0
  if (bytes === 0) {
    refuseOrphanedLog(path)
    return
  }
  inspectHeader(path, bytes)
  if (bytes <= maxCheckedBytes) inspectPages(path)
}

/**
 * Throws `StoreNotOpened` when the file has a second name (a hard link). SQLite names the WAL after the name by
 * which the file was opened, so a process that uses the other name would not see this WAL. `advice` is added to
 * the message.
 */
export function refuseOtherNames(path: string, advice: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() !== true || found.nlink === 1) return
  throw new StoreNotOpened(
    `${path} has another name (a hard link), over which a second process could own it: remove the ` +
      `other name${advice}. Nothing was changed.`,
  )
}

/**
 * Throws `StoreNotOpened` when the file itself is a mount point. SQLite keeps the newest data in files next
 * to the database, and these files would be outside of the mount.
 */
export function refuseMountedFile(path: string): void {
  if (!mountPoints().includes(path)) return
  throw new StoreNotOpened(
    `${path} is mounted as a single file: its write-ahead log ${path}-wal would be outside of the mount, and ` +
      'lost with the container. Mount its folder instead. Nothing was changed.',
  )
}

const mountTable = '/proc/self/mountinfo'

/**
 * Returns the mount points. Returns an empty list on systems other than Linux:
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
function mountPoints(): readonly string[] {
  if (!existsSync(mountTable)) return []
  return readFileSync(mountTable, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => characterOf(code)))
}

/** Decodes an octal number. The mount table writes spaces, tabs, line ends and backslashes as octal numbers. */
function characterOf(octal: string): string {
  return String.fromCharCode(Number.parseInt(octal, 8))
}

function hasLog(path: string): boolean {
  const log = `${path}-wal`
  return existsSync(log) && statSync(log).size > 0
}

/**
 * Throws `StoreNotOpened` if there is a WAL without its database. A new database would make that WAL unusable.
 */
function refuseOrphanedLog(path: string): void {
  if (!hasLog(path)) return
  throw new StoreNotOpened(
    `${path}-wal is there without its database ${path}: put the database back. To start with an empty ` +
      'store, move the log away, and keep it for a rescue. Nothing was changed.',
  )
}

function inspectHeader(path: string, bytes: number): void {
  const header = readFileHeader(path)
  if (header === undefined) throw damaged(path, 'its header')
  const { version } = header
  if (header.applicationId !== applicationId) {
    throw new StoreNotOpened(
      `${path} belongs to another program: point STORE_URL at another file. Nothing was changed.`,
    )
  }
  if (version > migrations.length) {
    throw new StoreNotOpened(
      `${path} was written by a newer version of Dossier (schema ${String(version)}, this one knows ` +
        `${String(migrations.length)}): run that version, or restore a back-up made with this one. ` +
        'Nothing was changed.',
    )
  }
  // Checks the size only when there is no WAL. An interrupted WAL checkpoint may have written the header but
  // not the last pages; the WAL then still contains those pages.
  if (bytes < header.pages * header.pageBytes && !hasLog(path)) throw damaged(path, 'its end')
}

function inspectPages(path: string): void {
  let finding: unknown
  try {
    const db = openDatabase(untouched(path), { readOnly: true })
    try {
      finding = valueOf(db, 'PRAGMA quick_check(1)')
    } finally {
      db.close()
    }
  } catch (error) {
    throw damaged(path, 'its pages', error)
  }
  if (finding !== 'ok') throw damaged(path, 'its pages')
}

/**
 * Returns a path or URL that opens the file without creating files next to it. If the file has a WAL, returns
 * the plain path.
 */
export function untouched(path: string): string {
  return hasLog(path) ? path : `${pathToFileURL(path).href}?immutable=1`
}

function damaged(path: string, what: string, cause?: unknown): StoreNotOpened {
  const message = damageMessage(path, `${what} cannot be read`)
  return new StoreNotOpened(`${message} Nothing was changed.`, { cause })
}

export function damageMessage(path: string, why: string): string {
  return (
    `${path} is damaged (${why}): restore a back-up. To start with an empty store, move the file, its ` +
    '-wal and its -shm away together, and keep them for a rescue.'
  )
}

/**
 * The size of the largest file whose pages are checked at the start, in bytes. A check of a larger file would
 * delay the start too long.
 */
export const maxCheckedBytes = 256 * 1024 * 1024

/** The size of the header in bytes: https://sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100
/** The first bytes of every SQLite file. */
export const headerMagic = Buffer.from('SQLite format 3\0')

export interface FileHeader {
  readonly applicationId: number
  /** The schema version of a store, or the copy number of a read model (`user_version`). */
  readonly version: number
  readonly pageBytes: number
  readonly pages: number
}

/**
 * Reads the header of the file at a path. Do not call it when this process has the database open, because
 * closing the descriptor would release locks: see `HeldFile`.
 */
export function readFileHeader(path: string): FileHeader | undefined {
  const file = openSync(path, 'r')
  try {
    return readHeader(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Reads the header as bytes, because opening the file in SQLite might change it. Returns undefined when the
 * file does not begin with a complete SQLite header.
 */
export function readHeader(file: number): FileHeader | undefined {
  const header = Buffer.alloc(headerBytes)
  if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return undefined
  if (!header.subarray(0, headerMagic.length).equals(headerMagic)) return undefined
  return {
    applicationId: header.readUInt32BE(68),
    version: header.readUInt32BE(60),
    pageBytes: header.readUInt16BE(16),
    pages: header.readUInt32BE(28),
  }
}
