import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../../../application/ports/log.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'

/** Makes the folder, and flushes the entries of what it made: a new file is no use in a lost folder. */
export function makeFolder(folder: string): void {
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

/** Makes the entries of a folder durable: which files it has. */
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
