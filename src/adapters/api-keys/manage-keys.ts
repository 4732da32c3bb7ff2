import type { Scope } from '../http/ports/key-ring.js'
import type { NewKey } from './api-key.js'
import { changeKeysFile, readKeysFile, type KeyEntry, newEntry } from './keys-file.js'

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

/** Ends a live key, named by its id or its name. */
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
