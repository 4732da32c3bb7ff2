import { closeSync, lstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { KeysFileUnusable, makeKeysFolder, replaceFile } from './replace-file.js'
import type { Scope } from '../http/ports/key-ring.js'
import { hashOf, makeKey, type NewKey } from './api-key.js'

const keyEntry = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  name: z.string().min(1),
  // Accepts any scope name, because other releases define other scopes. Unknown scopes stay in the
  // file and grant nothing.
  scopes: z.array(z.string().min(1)).min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime({ precision: 3 }),
  revoked_at: z.iso.datetime({ precision: 3 }).nullable(),
})

const keysFile = z.strictObject({ version: z.literal(1), keys: z.array(keyEntry) })

/** An entry of the file: a key's hash, name and scopes. */
export type KeyEntry = z.infer<typeof keyEntry>

/**
 * Reads the entries of the file. Returns undefined when there is no file. Throws
 * `KeysFileUnusable`.
 */
export function readKeysFile(path: string): readonly KeyEntry[] | undefined {
  const text = textOf(path)
  if (text === undefined) return undefined
  const result = keysFile.safeParse(parse(text, path))
  if (result.success) return result.data.keys
  const [issue] = result.error.issues
  throw wrong(path, `has an invalid value at /${issue?.path.join('/') ?? ''}`)
}

/**
 * Changes the entries while holding the lock file, and returns the result of `change`. Replaces the
 * file atomically, so a reader sees either the old or the new content. Throws `KeysFileUnusable`.
 */
export function changeKeysFile<T>(
  path: string,
  change: (entries: readonly KeyEntry[]) => readonly [entries: readonly KeyEntry[], result: T],
): T {
  makeKeysFolder(dirname(path))
  const lock = lockPath(path)
  takeLock(lock)
  try {
    const [keys, result] = change(readKeysFile(path) ?? [])
    writeKeysFile(path, keys)
    return result
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Replaces all entries. Throws `KeysFileUnusable`. */
export function writeKeysFile(path: string, keys: readonly KeyEntry[]): void {
  replaceFile(path, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`)
}

/** Returns the path of the lock file, which exists while a key command changes the keys file. */
export function lockPath(path: string): string {
  return `${path}.lock`
}

function takeLock(lock: string): void {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw new KeysFileUnusable(
        `${lock} cannot be created (${codeOf(error)}). Nothing was changed.`,
      )
    }
    throw new KeysFileUnusable(
      `${lock} exists: another key command is running. If none is, remove that file and try again.`,
    )
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      const user = process.geteuid?.()
      const right = user === undefined ? '' : `. Allow user ${String(user)} to read it`
      const advice = ['EACCES', 'EPERM'].includes(codeOf(error)) ? right : ''
      throw new KeysFileUnusable(`${path} cannot be read (${codeOf(error)})${advice}.`)
    }
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
  throw new KeysFileUnusable(
    `${path} is a link to a missing file. Mount the folder of that file, or remove the link.`,
  )
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(path, 'is not JSON')
  }
}

function wrong(path: string, what: string): KeysFileUnusable {
  return new KeysFileUnusable(
    `${path} ${what}. Repair it, restore it from a backup, or move it away and create new keys.`,
  )
}

/** Returns the code of a system error. Rethrows other errors. */
export function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code)
  throw error
}

export function newEntry(
  name: string,
  scopes: readonly Scope[],
): { readonly made: NewKey; readonly entry: KeyEntry } {
  const made = makeKey()
  const entry = {
    id: made.id,
    name,
    scopes: [...scopes],
    sha256: hashOf(made.key).toString('hex'),
    created_at: new Date().toISOString(),
    revoked_at: null,
  }
  return { made, entry }
}
