import { type Scope, scopes } from '../http/ports/key-ring.js'
import type { NewKey } from './api-key.js'
import {
  changeKeysFile,
  readKeysFile,
  type KeyEntry,
  newEntry,
  lockPath,
  writeKeysFile,
} from './keys-file.js'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from './replace-file.js'

/** A key command that cannot be done as it was given. The message says what to do. */
export class KeyCommandRefused extends Error {
  readonly code = 'key_command_refused'
  override readonly name = 'KeyCommandRefused'
}

/** Adds a key and returns it: the only time that it is seen. Names of live keys are unique. */
export function createKey(path: string, name: string, scopes: readonly Scope[]): NewKey {
  return changeKeysFile(path, (entries) => {
    if (entries.some((entry) => isLive(entry) && entry.name === name)) {
      throw new KeyCommandRefused(
        `a live key is called "${name}": choose another name or revoke it`,
      )
    }
    const { made, entry } = newEntry(name, scopes)
    return [[...entries, entry], made]
  })
}

/** Every key that the file knows, the revoked ones too. */
export function listKeys(path: string): readonly KeyEntry[] {
  return readKeysFile(path) ?? []
}

export function revokeKey(path: string, idOrName: string): KeyEntry {
  return changeKeysFile(path, (entries) => {
    const live = entries.filter(isLive)
    const found =
      live.find(({ id }) => id === idOrName) ?? live.find(({ name }) => name === idOrName)
    if (found === undefined) {
      throw new KeyCommandRefused(`no live key is called "${idOrName}": see the list`)
    }
    const revoked = { ...found, revoked_at: new Date().toISOString() }
    return [entries.map((entry) => (entry === found ? revoked : entry)), revoked]
  })
}

export function isLive(entry: KeyEntry): boolean {
  return entry.revoked_at === null
}

export interface FirstKey {
  /** The file that holds the key itself, readable by its owner alone. */
  readonly path: string
  /** Takes the key back, for a start that fails after all: the next one makes a first key again. */
  discard(): void
}

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
