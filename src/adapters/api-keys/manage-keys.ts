// API keys: commands change a file of hashes, and a key ring follows the file.
// - In: `keys-command.ts` reads a command line, and this file changes the keys.
// - Stored: `keys-file.ts` reads and writes the file, which `replace-file.ts` replaces atomically.
// - Out: `file-key-ring.ts` looks up the owner of a key, and `key-rings.ts` adds `API_KEY`.
import { type Scope, scopes } from '../http/ports/key-ring.js'
import { idOf, type NewKey } from './api-key.js'
import {
  changeKeysFile,
  readKeysFile,
  type KeyEntry,
  newEntry,
  lockPath,
  writeKeysFile,
} from './keys-file.js'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from './replace-file.js'

/** Thrown for a key command that cannot be executed. The message tells the user what to do. */
export class KeyCommandRefused extends Error {
  readonly code = 'key_command_refused'
  override readonly name = 'KeyCommandRefused'
}

/**
 * Adds a key and returns it with its secret, which nobody can read again. Refuses the name of
 * another live key.
 */
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

/** Returns all keys in the file, including revoked ones. */
export function listKeys(path: string): readonly KeyEntry[] {
  return readKeysFile(path) ?? []
}

/**
 * Revokes a live key. Also removes the file `first-key` if that file contains this key. Throws `KeysFileUnusable` and
 * `KeyCommandRefused`.
 */
export function revokeKey(path: string, idOrName: string): KeyEntry {
  const revoked = markRevoked(path, idOrName)
  const first = firstKeyPath(path)
  if (idInFile(first) === revoked.id) rmSync(first, { force: true })
  return revoked
}

/** Returns the id of the key in a file. Returns undefined when the file is missing, is unreadable or has other text. */
function idInFile(path: string): string | undefined {
  try {
    return idOf(readFileSync(path, 'utf8').trim())
  } catch {
    // Keeps a file that this user may not read. The key is revoked all the same.
    return undefined
  }
}

function markRevoked(path: string, idOrName: string): KeyEntry {
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
  /**
   * The path of the file that contains the key with its secret. Only the owner of the file can read
   * it.
   */
  readonly path: string
  /** Removes the key after a failed start, so that the next start creates a first key again. */
  discard(): void
}

export function keysFiles(keysFile: string): readonly string[] {
  return [keysFile, lockPath(keysFile), firstKeyPath(keysFile)]
}

function firstKeyPath(keysFile: string): string {
  return join(dirname(keysFile), 'first-key')
}

/**
 * Creates the keys file with one key. Returns undefined if the keys file exists. Writes the key to its own file first,
 * and then its hash to the keys file. In the other order, a crash between the two writes would leave the hash of a key
 * that nobody knows. Throws `KeysFileUnusable`.
 */
export function makeFirstKey(keysFile: string): FirstKey | undefined {
  if (readKeysFile(keysFile) !== undefined) return undefined
  const path = firstKeyPath(keysFile)
  const { made, entry } = newEntry('first-key', scopes)
  const discard = () => {
    // Keeps the keys file if another process has added a key to it.
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
