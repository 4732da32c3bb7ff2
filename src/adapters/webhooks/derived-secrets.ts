import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { WebhookSecrets } from '../../application/webhooks/ports/webhook-sending.js'
import type { MasterKey } from './master-key.js'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const fingerprintDigits = 16

/**
 * Derives the secrets of webhooks from the master key, and encrypts URLs under it. A URL is encrypted together
 * with the key of its webhook, so a URL that is copied to another webhook cannot be decrypted.
 */
export class DerivedSecrets implements WebhookSecrets {
  constructor(private readonly master: Pick<MasterKey, 'value' | 'ensure'>) {}

  get fingerprint(): string | undefined {
    const { value } = this.master
    return value && derive(value, 'fingerprint').toString('hex').slice(0, fingerprintDigits)
  }

  ensureMaster(): void {
    this.master.ensure()
  }

  seal(key: string, url: string): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.urlKey(this.master.ensure()), nonce)
    sealing.setAAD(Buffer.from(key))
    const text = Buffer.concat([sealing.update(url, 'utf8'), sealing.final()])
    return Buffer.concat([nonce, text, sealing.getAuthTag()]).toString('base64url')
  }

  open(key: string, sealed: string): string | undefined {
    const { value } = this.master
    const bytes = Buffer.from(sealed, 'base64url')
    if (value === undefined || bytes.length < nonceBytes + tagBytes) return undefined
    const opening = createDecipheriv(cipher, this.urlKey(value), bytes.subarray(0, nonceBytes))
    opening.setAAD(Buffer.from(key))
    opening.setAuthTag(bytes.subarray(-tagBytes))
    try {
      const text = opening.update(bytes.subarray(nonceBytes, -tagBytes))
      return Buffer.concat([text, opening.final()]).toString('utf8')
    } catch {
      // The tag does not match: another master key encrypted the URL.
      return undefined
    }
  }

  secretOf(key: string, version: number): string {
    const secret = derive(this.master.ensure(), 'secret', key, String(version))
    return `whsec_${secret.toString('base64')}`
  }

  private urlKey(master: Buffer): Buffer {
    return derive(master, 'url')
  }
}

function derive(master: Buffer, ...parts: readonly string[]): Buffer {
  return createHmac('sha256', master).update(parts.join('\n')).digest()
}
