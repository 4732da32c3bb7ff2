import { existsSync, statSync, closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { openDatabase } from './driver.js'
import { applicationId, migrations, valueOf } from './schema.js'

/**
 * Refuses, with `StoreNotOpened`, a file that is not ours, newer than we are, or damaged. Changes
 * nothing: the header is read as bytes, and the pages over a connection that cannot write. A file
 * that is missing or empty is fine: it will be created.
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

/** The log beside a file has the name that the file was opened by. `advice`: what else helps. */
export function refuseOtherNames(path: string, advice: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() !== true || found.nlink === 1) return
  throw new StoreNotOpened(
    `${path} has another name (a hard link), over which a second process could own it: remove the ` +
      `other name${advice}. Nothing was changed.`,
  )
}

/** SQLite keeps the newest of a database in files beside it, which a mount of one file leaves outside. */
export function refuseMountedFile(path: string): void {
  if (!mountPoints().includes(path)) return
  throw new StoreNotOpened(
    `${path} is mounted as a single file: its write-ahead log ${path}-wal would be outside of the mount, and ` +
      'lost with the container. Mount its folder instead. Nothing was changed.',
  )
}

const mountTable = '/proc/self/mountinfo'

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html; none where no Linux has the table. */
function mountPoints(): readonly string[] {
  if (!existsSync(mountTable)) return []
  return readFileSync(mountTable, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => characterOf(code)))
}

/** A mount point has spaces, tabs, line ends and backslashes as octal numbers. */
function characterOf(octal: string): string {
  return String.fromCharCode(Number.parseInt(octal, 8))
}

function hasLog(path: string): boolean {
  const log = `${path}-wal`
  return existsSync(log) && statSync(log).size > 0
}

/** A new file would make the log beside it worthless, and with it what was stored. */
function refuseOrphanedLog(path: string): void {
  if (!hasLog(path)) return
  throw new StoreNotOpened(
    `${path}-wal is there without its database ${path}: put the database back, or move the log away to ` +
      'start anew and keep it for a rescue. Nothing was changed.',
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
  // With a log, a WAL checkpoint may have ended between the header and the last page.
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

/** Without a log beside it, a file can be read as it is; otherwise reading makes files beside it. */
export function untouched(path: string): string {
  return hasLog(path) ? path : `${pathToFileURL(path).href}?immutable=1`
}

function damaged(path: string, what: string, cause?: unknown): StoreNotOpened {
  const message = damageMessage(path, `${what} cannot be read`)
  return new StoreNotOpened(`${message} Nothing was changed.`, { cause })
}

export function damageMessage(path: string, why: string): string {
  return (
    `${path} is damaged (${why}): restore a back-up, or move the file, its -wal and its -shm away ` +
    'together to start anew and keep them for a rescue.'
  )
}

/** Larger files are not read through at start: that would take longer than a start may. */
export const maxCheckedBytes = 256 * 1024 * 1024

/** https://sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100
const magic = 'SQLite format 3\0'

export interface FileHeader {
  readonly applicationId: number
  /** `user_version`. */
  readonly version: number
  readonly pageBytes: number
  readonly pages: number
}

/** Not to be called where this process has the database open: see `HeldFile`. */
export function readFileHeader(path: string): FileHeader | undefined {
  const file = openSync(path, 'r')
  try {
    return readHeader(file)
  } finally {
    closeSync(file)
  }
}

/** Read as bytes, and not through SQLite, which may write. Undefined without a whole header of SQLite. */
export function readHeader(file: number): FileHeader | undefined {
  const header = Buffer.alloc(headerBytes)
  if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return undefined
  if (header.toString('latin1', 0, magic.length) !== magic) return undefined
  return {
    applicationId: header.readUInt32BE(68),
    version: header.readUInt32BE(60),
    pageBytes: header.readUInt16BE(16),
    pages: header.readUInt32BE(28),
  }
}
