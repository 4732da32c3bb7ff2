import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  existsSync,
  lstatSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, basename, join, resolve } from 'node:path'
import { reasonOf } from '../../../application/ports/log.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'

/** Creates the folder and its missing parents, and makes them durable. */
function makeFolder(folder: string): void {
  try {
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (first === undefined) return
    for (let made = folder; made.length >= first.length; made = dirname(made)) {
      flushFolder(dirname(made))
    }
  } catch (error) {
    throw new StoreNotOpened(`the folder ${folder} cannot be made: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/** Makes the list of a folder's files durable. */
export function flushFolder(folder: string): void {
  if (process.platform !== 'win32') flush(folder)
}

/** Makes a file durable, whoever wrote it. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * One file, one lock: whichever links lead to it. Makes the folder when it is missing. Throws
 * `StoreNotOpened`, also for a link to nothing: its target may be on a volume that is not mounted.
 */
export function resolvePath(given: string): string {
  const path = resolve(given)
  makeFolder(dirname(path))
  if (existsSync(path)) return realpathSync(path)
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new StoreNotOpened(
      `${path} is a link to a file that is not there: see that its volume is mounted, or remove the ` +
        'link to start anew. Nothing was changed.',
    )
  }
  return join(realpathSync(dirname(path)), basename(path))
}

/** Resolves the path of an existing file. Creates nothing. */
export function foundPath(given: string): string {
  const path = resolve(given)
  return existsSync(path) ? realpathSync(path) : path
}

/** The database at a path, and the files that SQLite creates beside it. */
export function databaseFiles(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((ending) => `${path}${ending}`)
}

/** The path of the secret that hashes a database's blocked names. */
export function secretPath(path: string): string {
  return `${path}.secret`
}

/** The temporary path of the secret while it is written. */
export function unfinishedSecret(path: string): string {
  return `${path}.new`
}

export function storeFiles(path: string): readonly string[] {
  const secret = secretPath(path)
  const databases = [path, `${path}.lock`, `${path}.new`].flatMap(databaseFiles)
  return [...databases, secret, unfinishedSecret(secret)]
}

/** Whether two lists of paths have a file in common, whichever names and links lead to it. */
export function haveSharedFile(one: readonly string[], other: readonly string[]): boolean {
  const taken = new Set(one.map(identityOf))
  return other.some((path) => taken.has(identityOf(path)))
}

/** Device and inode of the file at a path; undefined where there is none. */
export function identityAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${String(found.dev)}:${String(found.ino)}`
}

/** Device and inode of a file that is there; else where it would be made. */
function identityOf(path: string): string {
  return identityAt(path) ?? placeOf(resolve(path))
}

/** Folders above it may be missing, too. */
function placeOf(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
  return join(isThere ? realpathSync(folder) : placeOf(folder), basename(path))
}
