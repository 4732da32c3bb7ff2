import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scopes } from '../../application/ports/key-ring.js'
import { hashOf, makeKey } from './api-key.js'
import { changeKeysFile, readKeysFile, replaceFile, type KeyEntry } from './keys-file.js'

/**
 * Where there is no keys file yet, makes one with one key and returns the path of a file that holds
 * the key itself, readable by the owner alone. Undefined where there is a keys file. The key is
 * written before its hash: a crash in between leaves no key that nobody knows.
 */
export function makeFirstKey(keysFile: string): string | undefined {
  if (existsSync(keysFile)) {
    readKeysFile(keysFile)
    return undefined
  }
  const path = join(dirname(keysFile), 'first-key')
  changeKeysFile(keysFile, () => {
    const { key, id } = makeKey()
    replaceFile(path, `${key}\n`)
    const entry: KeyEntry = {
      id,
      name: 'first-key',
      scopes: [...scopes],
      sha256: hashOf(key).toString('hex'),
      created_at: new Date().toISOString(),
      revoked_at: null,
    }
    return [[entry], undefined]
  })
  return path
}
