import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { reasonOf } from '../../application/ports/log.js'
import { flushFolder, makeFolder } from '../make-folder.js'

interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Replaces the content of a file atomically and durably, or changes nothing. If `link` is a
 * symbolic link, replaces the file that the link points to. The file keeps its owner, and keeps its
 * mode unless `mode` is given. Only the owner can access a new file. Throws `KeysFileUnusable`.
 */
export function replaceFile(link: string, text: string, mode?: number): void {
  const path = existsSync(link) ? realpathSync(link) : resolve(link)
  makeKeysFolder(dirname(path))
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
    const doubt = 'a crash of the machine may restore its former content'
    const text = `${path} was changed, but its folder cannot be flushed (${reasonOf(error)}): ${doubt}.`
    throw new KeysFileUnusable(text, { cause: error })
  }
}

/**
 * Creates the folder of the keys file. If root runs this, the owner of the parent folder owns the new folder. Throws
 * `KeysFileUnusable`.
 */
export function makeKeysFolder(folder: string): void {
  try {
    for (const made of makeFolder(folder)) {
      const owner = ownerOfNew(dirname(made))
      if (owner !== undefined) chownSync(made, owner.uid, owner.gid)
    }
  } catch (error) {
    throw new KeysFileUnusable(`${folder} cannot be created: ${reasonOf(error)}.`, { cause: error })
  }
}

/**
 * Returns the user and group for a file that root creates: the owner of the folder. Returns
 * undefined when the process does not run as root.
 */
function ownerOfNew(folder: string): Owner | undefined {
  return process.geteuid?.() === 0 ? statSync(folder) : undefined
}

/**
 * Writes a temporary file and renames it to `path`. The temporary name is unique, so a leftover
 * file of a killed process is never reused.
 */
function replace(path: string, text: string, owner: Owner | undefined, mode: number): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    try {
      if (owner !== undefined) giveTo(owner, file, mode)
      fchmodSync(file, mode)
      // Unlike `writeSync`, `writeFileSync` continues after a partial write.
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

/** Sets the owner of a file. Sets the group only when the mode gives the group permissions. */
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

/** Returns advice about the owner of the folder, for permission errors. */
function ownerAdvice(error: unknown, path: string): string {
  const user = process.geteuid?.()
  if (user === undefined || !(error instanceof Error) || !('code' in error)) return ''
  if (error.code !== 'EACCES' && error.code !== 'EPERM') return ''
  return `: see that ${dirname(path)} and what is in it belong to user ${String(user)}, who runs this`
}

/** Thrown when the keys file cannot be used. The message tells the user what to do. */
export class KeysFileUnusable extends Error {
  readonly code = 'keys_file_unusable'
  override readonly name = 'KeysFileUnusable'
}
