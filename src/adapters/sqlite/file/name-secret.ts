import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { flushFolder, unfinishedSecret } from './paths.js'

const secretBytes = 32

/**
 * Hashes the stream names of erased entities if reuse of their external ids is blocked. The hash uses a secret,
 * so a copy of the database alone is not enough to find out whether an external id was erased.
 */
export class NameSecret {
  private secret: Buffer | undefined

  /**
   * Reads the secret if the file exists. Throws `StoreNotOpened` when the secret is truncated. Also throws
   * `StoreNotOpened` when the secret is needed but missing, because erased ids could then be reused.
   */
  constructor(
    private readonly path: string,
    isNeeded: boolean,
  ) {
    if (existsSync(path)) this.secret = readFileSync(path)
    if (this.secret === undefined ? isNeeded : this.secret.length !== secretBytes) {
      const trouble = this.secret === undefined ? 'missing' : 'empty or cut'
      throw new StoreNotOpened(
        `${path} is ${trouble}: it recognises the ids of erased entities. Restore it together with the database`,
      )
    }
  }

  /** Returns the hash of a name. The first call creates the secret. May throw errors of the file system. */
  hashOf(name: string): Buffer {
    this.secret ??= this.make()
    return createHmac('sha256', this.secret).update(name).digest()
  }

  /** The secret. Undefined when the store has never hashed a name. */
  get bytes(): Buffer | undefined {
    return this.secret
  }

  /**
   * Uses the secret of a copied database in this database too. Returns false when this database already has
   * another secret. May throw errors of the file system.
   */
  adopt(secret: Buffer): boolean {
    this.secret ??= this.write(secret)
    return this.secret.equals(secret)
  }

  private make(): Buffer {
    return this.write(randomBytes(secretBytes))
  }

  /**
   * Writes the secret to a temporary file and renames the file, so that a crash leaves either a complete secret
   * or no secret.
   */
  private write(secret: Buffer): Buffer {
    const unfinished = unfinishedSecret(this.path)
    writeFileSync(unfinished, secret, { mode: 0o600, flush: true })
    renameSync(unfinished, this.path)
    flushFolder(dirname(this.path))
    return secret
  }
}
