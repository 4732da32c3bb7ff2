import { secretPath, unfinishedSecret } from './name-secret.js'

/** The database at a path, and what SQLite makes beside it. */
export function databaseFiles(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((ending) => `${path}${ending}`)
}

/** All files that a store at this path makes. */
export function storeFiles(path: string): readonly string[] {
  const secret = secretPath(path)
  const databases = [path, `${path}.lock`, `${path}.new`].flatMap(databaseFiles)
  return [...databases, secret, unfinishedSecret(secret)]
}
