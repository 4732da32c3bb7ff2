import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { makeFolder } from './make-folder.js'

/**
 * One file, one lock: whichever links lead to it. Makes the folder when it is missing. Throws
 * `StoreNotOpened`.
 */
export function truePath(given: string): string {
  const path = resolve(given)
  makeFolder(dirname(path))
  if (existsSync(path)) return realpathSync(path)
  return join(realpathSync(dirname(path)), basename(path))
}
