import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scopes } from '../http/ports/key-ring.js'
import { lockPath, readKeysFile, writeKeysFile, newEntry } from './keys-file.js'
import { replaceFile } from './replace-file.js'

export interface FirstKey {
  /** The file that holds the key itself, readable by its owner alone. */
  readonly path: string
  /** Takes the key back, for a start that fails after all: the next one makes a first key again. */
  discard(): void
}

/** All files of this keys file, itself among them. */
export function keysFiles(keysFile: string): readonly string[] {
  return [keysFile, lockPath(keysFile), firstKeyPath(keysFile)]
}

function firstKeyPath(keysFile: string): string {
  return join(dirname(keysFile), 'first-key')
}

/**
 * Where there is no keys file yet, makes one with one key; undefined where there is one. The key is
 * written before its hash: a crash in between leaves no key that nobody knows. Throws
 * `KeysFileUnusable`.
 */
export function makeFirstKey(keysFile: string): FirstKey | undefined {
  if (readKeysFile(keysFile) !== undefined) return undefined
  const path = firstKeyPath(keysFile)
  const { made, entry } = newEntry('first-key', scopes)
  const discard = () => {
    // Whoever shares the folder may have written keys since.
    if (readKeysFile(keysFile)?.some(({ id }) => id !== entry.id) === true) return
    rmSync(keysFile, { force: true })
    rmSync(path, { force: true })
  }
  replaceFile(path, `${made.key}\n`, 0o600)
  try {
    writeKeysFile(keysFile, [entry])
  } catch (error) {
    discard()
    throw error
  }
  return { path, discard }
}
