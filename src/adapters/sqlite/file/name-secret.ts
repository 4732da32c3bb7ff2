import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { flushFolder } from './paths.js'

const secretBytes = 32

/** Hashes names that may not be used again: who has the database alone cannot try names. */
export class NameSecret {
  private secret: Buffer | undefined

  /** Throws `StoreNotOpened` where the secret is gone and needed: erased names would be free. */
  constructor(
    private readonly path: string,
    isNeeded: boolean,
  ) {
    if (existsSync(path)) this.secret = readFileSync(path)
    if (isNeeded && this.secret?.length !== secretBytes) {
      throw new StoreNotOpened(
        `${path} is missing or cut: with it the ids of erased persons are recognised. Restore it with the database`,
      )
    }
  }

  /** Makes the secret at its first use. Throws what the file system throws. */
  hashOf(name: string): Buffer {
    this.secret ??= this.make()
    return createHmac('sha256', this.secret).update(name).digest()
  }

  private make(): Buffer {
    const secret = randomBytes(secretBytes)
    const file = openSync(this.path, 'wx', 0o600)
    try {
      writeSync(file, secret)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    flushFolder(dirname(this.path))
    return secret
  }
}
