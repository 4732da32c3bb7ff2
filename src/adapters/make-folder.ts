import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its missing parents, accessible to the owner only, and flushes the new directory entries to the
 * disk. Returns the created folders, outermost first. Throws the error of the file system.
 *
 * Creates one folder at a time. The recursive `mkdirSync` of Node never returns when the system answers ENOENT for a
 * folder whose parent exists, as `/proc` does.
 */
export function makeFolder(folder: string): readonly string[] {
  const path = resolve(folder)
  const parent = dirname(path)
  try {
    return makeOne(path)
  } catch (error) {
    if (!isMissing(error) || parent === path) throw error
    return [...makeFolder(parent), ...makeOne(path)]
  }
}

/** Creates one folder. Returns an empty list when the folder exists. */
function makeOne(path: string): readonly string[] {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isMissing(error) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
      return []
    }
    throw error
  }
  flushFolder(dirname(path))
  return [path]
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}

/** Flushes the directory entries of a folder to the disk. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
