import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { flushFolder, unfinishedSecret } from './paths.js'

const secretBytes = 32

/** Hashes blocked names with a secret, so that nobody can test names with a copy of the database alone. */
export class NameSecret {
  private secret: Buffer | undefined

  /** Throws `StoreNotOpened` when the needed secret is missing or truncated: erased names could be reused. */
  constructor(
    private readonly path: string,
    isNeeded: boolean,
  ) {
    if (existsSync(path)) this.secret = readFileSync(path)
    if (this.secret === undefined ? isNeeded : this.secret.length !== secretBytes) {
      const trouble = this.secret === undefined ? 'missing' : 'empty or cut'
      throw new StoreNotOpened(
        `${path} is ${trouble}: it recognises the ids of erased entities. Restore it with the database`,
      )
    }
  }

  /** Creates the secret at the first use. May throw an error of the file system. */
  hashOf(name: string): Buffer {
    this.secret ??= this.make()
    return createHmac('sha256', this.secret).update(name).digest()
  }

  /** The secret. Undefined when no name was ever blocked. */
  get bytes(): Buffer | undefined {
    return this.secret
  }

  /**
   * Adopts the secret of a copied database. Returns false when names were hashed with another secret here. May throw
   * an error of the file system.
   */
  adopt(secret: Buffer): boolean {
    this.secret ??= this.write(secret)
    return this.secret.equals(secret)
  }

  private make(): Buffer {
    return this.write(randomBytes(secretBytes))
  }

  /** Writes a temporary file and renames it, so that a crash leaves a complete secret or none. */
  private write(secret: Buffer): Buffer {
    const unfinished = unfinishedSecret(this.path)
    writeFileSync(unfinished, secret, { mode: 0o600, flush: true })
    renameSync(unfinished, this.path)
    flushFolder(dirname(this.path))
    return secret
  }
}
