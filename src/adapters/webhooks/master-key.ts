import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refusal } from '../../application/ports/refusal.js'

const bytesOfKey = 32
const form = /^[0-9a-f]{64}\n?$/

/**
 * The key from which all secrets of webhooks derive. It comes from the setting WEBHOOK_SECRET. Without the
 * setting, it is in a file that only the owner may read, and the first definition of a webhook creates this file.
 */
export class MasterKey {
  private key: Buffer | undefined

  constructor(
    private readonly given: { readonly secret: string | undefined; readonly file: string },
  ) {
    if (given.secret !== undefined) {
      this.key = createHash('sha256').update(`dossier webhooks\n${given.secret}`).digest()
    }
  }

  /** The key, or undefined while there is none. */
  get value(): Buffer | undefined {
    this.key ??= this.readFile()
    return this.key
  }

  /** Creates the key if there is none. Throws `store_unavailable` when its file cannot be written. */
  ensure(): Buffer {
    this.key ??= this.readFile() ?? this.createFile()
    return this.key
  }

  private readFile(): Buffer | undefined {
    let text: string
    try {
      text = readFileSync(this.given.file, 'utf8')
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return undefined
      throw this.unusable(error)
    }
    if (!form.test(text)) throw this.unusable(new Error('it does not have 64 hex digits'))
    return Buffer.from(text.trim(), 'hex')
  }

  private createFile(): Buffer {
    const { file } = this.given
    const key = randomBytes(bytesOfKey)
    try {
      mkdirSync(dirname(file), { recursive: true })
      const descriptor = openSync(file, 'wx', 0o600)
      try {
        writeSync(descriptor, `${key.toString('hex')}\n`)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      return key
    } catch (error) {
      // Another process has just created the file.
      const found = isSystemError(error, 'EEXIST') ? this.readFile() : undefined
      if (found !== undefined) return found
      throw this.unusable(error)
    }
  }

  private unusable(error: unknown): Refusal {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `the file ${this.given.file} with the secret of the webhooks cannot be used: ${reason}`
    return new Refusal('store_unavailable', message, { cause: error })
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}
