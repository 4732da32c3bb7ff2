import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { reasonOf } from '../../application/ports/log.js'

interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Puts a text in the place of a file, whole and flushed, or changes nothing; where the name is a link,
 * its target is replaced. The file keeps its owner and, unless another one is given, its mode; a new
 * one is for its owner alone. Throws `KeysFileUnusable`.
 */
export function replaceFile(link: string, text: string, mode?: number): void {
  const path = existsSync(link) ? realpathSync(link) : resolve(link)
  makeFolder(dirname(path))
  try {
    const old = statSync(path, { throwIfNoEntry: false })
    const owner = old ?? ownerOfNew(dirname(path))
    replace(path, text, owner, mode ?? (old === undefined ? 0o600 : old.mode & 0o777))
  } catch (error) {
    const text = `${path} was not changed: ${reasonOf(error)}${ownerAdvice(error, path)}.`
    throw new KeysFileUnusable(text, { cause: error })
  }
  try {
    flushFolder(dirname(path))
  } catch (error) {
    const doubt = 'a crash of the machine may bring the former one back'
    const text = `${path} was changed, but its folder cannot be flushed (${reasonOf(error)}): ${doubt}.`
    throw new KeysFileUnusable(text, { cause: error })
  }
}

/** Makes a folder for its owner alone, and those above it. Throws `KeysFileUnusable`. */
export function makeFolder(folder: string): void {
  try {
    const wanted = resolve(folder)
    const first = mkdirSync(wanted, { recursive: true, mode: 0o700 })
    if (first === undefined) return
    const owner = ownerOfNew(dirname(first))
    for (let made = wanted; made.length >= first.length; made = dirname(made)) {
      if (owner !== undefined) chownSync(made, owner.uid, owner.gid)
      flushFolder(dirname(made))
    }
  } catch (error) {
    throw new KeysFileUnusable(`${folder} cannot be made: ${reasonOf(error)}.`, { cause: error })
  }
}

/** What root makes belongs to the owner of the folder, as if that user had made it. */
function ownerOfNew(folder: string): Owner | undefined {
  return process.geteuid?.() === 0 ? statSync(folder) : undefined
}

/** The temporary file's name is its own: what a killed process left is never written to again. */
function replace(path: string, text: string, owner: Owner | undefined, mode: number): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    try {
      if (owner !== undefined) giveTo(owner, file, mode)
      fchmodSync(file, mode)
      // Unlike `writeSync`, this goes on after a short write.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A group without rights need not be preserved. */
function giveTo({ uid, gid }: Owner, file: number, mode: number): void {
  const now = fstatSync(file)
  if (now.uid === uid && (now.gid === gid || (mode & 0o070) === 0)) return
  try {
    fchownSync(file, uid, gid)
  } catch (cause) {
    const [user, group] = [String(uid), String(gid)]
    const reason =
      `it belongs to user ${user} and group ${group}, which user ${String(now.uid)} cannot give ` +
      `to a file. Run the command as user ${user} or as root`
    throw new Error(reason, { cause })
  }
}

function flushFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Whose the folder must be, where this user lacks the right. */
function ownerAdvice(error: unknown, path: string): string {
  const user = process.geteuid?.()
  if (user === undefined || !(error instanceof Error) || !('code' in error)) return ''
  if (error.code !== 'EACCES' && error.code !== 'EPERM') return ''
  return `: see that ${dirname(path)} and what is in it belong to user ${String(user)}, who runs this`
}

/** The keys file cannot be used. The message says what to do, for people. */
export class KeysFileUnusable extends Error {
  readonly code = 'keys_file_unusable'
  override readonly name = 'KeysFileUnusable'
}
