import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Whether two lists of paths have a file in common, whichever names and links lead to it. */
export function haveSharedFile(one: readonly string[], other: readonly string[]): boolean {
  const taken = new Set(one.map(identityOf))
  return other.some((path) => taken.has(identityOf(path)))
}

/** Device and inode of a file that is there; else where it would be made. */
function identityOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? placeOf(resolve(path)) : `${String(found.dev)}:${String(found.ino)}`
}

/** Folders above it may be missing, too. */
function placeOf(path: string): string {
  const folder = dirname(path)
  if (folder === path) return path
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
  return join(isThere ? realpathSync(folder) : placeOf(folder), basename(path))
}
