import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { makeFolder } from './make-folder.js'

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

/** The same of a file that is there; makes nothing. */
export function foundPath(given: string): string {
  const path = resolve(given)
  return existsSync(path) ? realpathSync(path) : path
}
