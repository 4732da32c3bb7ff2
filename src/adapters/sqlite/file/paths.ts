import {
  closeSync,
  fsyncSync,
  openSync,
  existsSync,
  lstatSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, basename, join, resolve } from 'node:path'
import { reasonOf } from '../../../application/ports/log.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { makeFolder } from '../../make-folder.js'

export { flushFolder } from '../../make-folder.js'

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw new StoreNotOpened(`the folder ${folder} cannot be created: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/** Flushes a file to the disk, including data that other processes wrote. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Returns the path with all symbolic links resolved, so that every path to one file leads to the same lock.
 * Creates the folder when it is missing. Throws `StoreNotOpened` for a link without a target, because the
 * target may be on a volume that is not mounted.
 */
export function resolvePath(given: string): string {
  const path = resolve(given)
  makeDataFolder(dirname(path))
  if (existsSync(path)) return realpathSync(path)
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new StoreNotOpened(
      `${path} is a link to a file that is not there: check that its volume is mounted, or remove the ` +
        'link to start with an empty store. Nothing was changed.',
    )
  }
  return join(realpathSync(dirname(path)), basename(path))
}

/** Returns the path of an existing file with all symbolic links resolved. Creates nothing. */
export function foundPath(given: string): string {
  const path = resolve(given)
  return existsSync(path) ? realpathSync(path) : path
}

/** Returns the path of a database, and the paths of the files that SQLite creates next to it. */
export function databaseFiles(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((ending) => `${path}${ending}`)
}

/** Returns the path of the secret for `NameSecret`, which hashes the stream names of erased entities. */
export function secretPath(path: string): string {
  return `${path}.secret`
}

/** Returns the temporary path of the secret, which is used while the secret is written. */
export function unfinishedSecret(path: string): string {
  return `${path}.new`
}

export function storeFiles(path: string): readonly string[] {
  const secret = secretPath(path)
  const databases = [path, `${path}.lock`, `${path}.new`].flatMap(databaseFiles)
  return [...databases, secret, unfinishedSecret(secret)]
}

/** Returns whether both lists contain a path to the same file, even through different links. */
export function haveSharedFile(one: readonly string[], other: readonly string[]): boolean {
  const taken = new Set(one.map(identityOf))
  return other.some((path) => taken.has(identityOf(path)))
}

/** Returns the device and inode of the file at a path as text, or undefined when there is no file. */
export function identityAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${String(found.dev)}:${String(found.ino)}`
}

/** Returns the device and inode of an existing file, or the path where a missing file would be created. */
function identityOf(path: string): string {
  return identityAt(path) ?? placeOf(resolve(path))
}

/**
 * Returns the path with the symbolic links of its existing folders resolved. The last folders of the path may
 * be missing.
 */
function placeOf(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
  return join(isThere ? realpathSync(folder) : placeOf(folder), basename(path))
}
