import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { flushFolder } from './make-folder.js'

const secretBytes = 32

/** Where the secret of a database's suppressed names is. */
export function secretPath(path: string): string {
  return `${path}.secret`
}

/** Under this name it is made, and renamed when it is whole. */
export function unfinishedSecret(path: string): string {
  return `${path}.new`
}

/**
 * Hashes the names that may not be used again, with a secret that is not in the database: who has the
 * database alone cannot try names.
 */
export class NameSecret {
  private secret: Buffer | undefined

  /**
   * `isNeeded`: the database has such hashes. Throws `StoreNotOpened` where the secret is gone then, or cut:
   * names of erased persons would be free.
   */
  constructor(
    private readonly path: string,
    isNeeded: boolean,
  ) {
    if (existsSync(path)) this.secret = readFileSync(path)
    if (this.secret === undefined ? isNeeded : this.secret.length !== secretBytes) {
      const trouble = this.secret === undefined ? 'missing' : 'empty or cut'
      throw new StoreNotOpened(
        `${path} is ${trouble}: with it the ids of erased persons are recognised. Restore it with the database`,
      )
    }
  }

  /** Makes the secret at its first use. Throws what the file system throws. */
  hashOf(name: string): Buffer {
    this.secret ??= this.make()
    return createHmac('sha256', this.secret).update(name).digest()
  }

  /** Undefined where no name was ever suppressed. */
  get bytes(): Buffer | undefined {
    return this.secret
  }

  /**
   * Takes over the secret of a copied database. False: names are hashed with another one here. Throws what the
   * file system throws.
   */
  adopt(secret: Buffer): boolean {
    this.secret ??= this.write(secret)
    return this.secret.equals(secret)
  }

  private make(): Buffer {
    return this.write(randomBytes(secretBytes))
  }

  /** A crash leaves a whole secret or none. */
  private write(secret: Buffer): Buffer {
    const unfinished = unfinishedSecret(this.path)
    writeFileSync(unfinished, secret, { mode: 0o600, flush: true })
    renameSync(unfinished, this.path)
    flushFolder(dirname(this.path))
    return secret
  }
}
