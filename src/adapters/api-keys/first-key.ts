import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scopes } from '../../application/ports/key-ring.js'
import { readKeysFile, writeKeysFile } from './keys-file.js'
import { newEntry } from './new-entry.js'
import { replaceFile } from './replace-file.js'

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
  const { made, entry } = newEntry('first-key', scopes)
  replaceFile(path, `${made.key}\n`, 0o600)
  writeKeysFile(keysFile, [entry])
  return path
}
