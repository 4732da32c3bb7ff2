import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { scopes } from '../../application/ports/key-ring.js'

const keyEntry = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  name: z.string().min(1),
  scopes: z.array(z.enum(scopes)).min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime({ precision: 3 }),
  revoked_at: z.iso.datetime({ precision: 3 }).nullable(),
})

const keysFile = z.strictObject({ version: z.literal(1), keys: z.array(keyEntry) })

/** A key as the file has it: its hash, never the key. */
export type KeyEntry = z.infer<typeof keyEntry>

/** The keys file cannot be used. The message says what to do, for people. */
export class KeysFileUnusable extends Error {
  readonly code = 'keys_file_unusable'
  override readonly name = 'KeysFileUnusable'
}

/** The entries of the file; undefined when there is no file. Throws `KeysFileUnusable`. */
export function readKeysFile(path: string): readonly KeyEntry[] | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(path, `cannot be read (${codeOf(error)})`)
  }
  const result = keysFile.safeParse(parse(text, path))
  if (result.success) return result.data.keys
  const [issue] = result.error.issues
  throw unusable(path, `has a wrong form at /${issue?.path.join('/') ?? ''}`)
}

/**
 * Changes the entries while no other key command does, and passes on what `change` tells of it. The
 * new file replaces the old one in one step: whoever reads sees the one or the other. Throws
 * `KeysFileUnusable`.
 */
export function changeKeysFile<T>(
  path: string,
  change: (entries: readonly KeyEntry[]) => readonly [entries: readonly KeyEntry[], result: T],
): T {
  makeFolder(path)
  const lock = `${path}.lock`
  takeLock(lock)
  try {
    const [keys, result] = change(readKeysFile(path) ?? [])
    writeKeysFile(path, keys)
    return result
  } finally {
    rmSync(lock)
  }
}

function takeLock(lock: string): void {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(lock, `cannot be made (${codeOf(error)})`)
    throw new KeysFileUnusable(
      `${lock} exists: another key command is running. If none is, remove that file and try again.`,
    )
  }
}

/** Puts these entries in the place of those that are there. */
export function writeKeysFile(path: string, keys: readonly KeyEntry[]): void {
  replaceFile(path, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`)
}

/** Readable by the owner alone, flushed before it takes the name; where that is a link, its target. */
export function replaceFile(link: string, text: string): void {
  makeFolder(link)
  const path = existsSync(link) ? realpathSync(link) : link
  const temporary = `${path}.${String(process.pid)}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
}

function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unusable(path, 'is not JSON')
  }
}

function unusable(path: string, what: string): KeysFileUnusable {
  return new KeysFileUnusable(
    `${path} ${what}: mend it, restore it from a back-up, or move it away and create new keys.`,
  )
}

function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code)
  throw error
}
