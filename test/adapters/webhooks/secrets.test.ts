import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { DerivedSecrets } from '../../../src/adapters/webhooks/derived-secrets.js'
import { MasterKey } from '../../../src/adapters/webhooks/master-key.js'
import { temporaryFolders } from '../../support/temporary-folder.js'
import { secretsOf } from '../../support/webhooks/webhooks-in.js'

const folder = temporaryFolders()
const inFile = (file: string) => new DerivedSecrets(new MasterKey({ secret: undefined, file }))

describe('the secrets of webhooks', () => {
  it('differ by webhook, by version and by master key, and stay the same otherwise', () => {
    const secrets = secretsOf()
    const all = [
      secrets.secretOf('a', 1),
      secrets.secretOf('a', 2),
      secrets.secretOf('b', 1),
      secretsOf('another-secret-with-more-than-32-characters').secretOf('a', 1),
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(secretsOf().secretOf('a', 1)).toBe(all[0])
    for (const secret of all) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })

  it('encrypt a URL for one webhook and one master key', () => {
    const secrets = secretsOf()
    const url = 'https://mail.example/hook?token=s3cret'
    const sealed = secrets.seal('mail', url)
    expect(sealed).not.toContain('s3cret')
    expect(secrets.seal('mail', url)).not.toBe(sealed)
    expect(secrets.open('mail', sealed)).toBe(url)
    expect(secrets.open('other', sealed)).toBeUndefined()
    expect(secrets.open('mail', `${sealed.slice(0, -2)}AA`)).toBeUndefined()
    expect(secrets.open('mail', 'short')).toBeUndefined()
    const other = secretsOf('another-secret-with-more-than-32-characters')
    expect(other.open('mail', sealed)).toBeUndefined()
    expect(other.fingerprint).not.toBe(secrets.fingerprint)
  })

  it('come from a file that only its owner can read, which the first use creates', () => {
    const file = join(folder(), 'data', 'webhook-secret')
    expect(inFile(file).fingerprint).toBeUndefined()
    inFile(file).ensureMaster()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const first = inFile(file).secretOf('a', 1)
    inFile(file).ensureMaster()
    expect(inFile(file).secretOf('a', 1)).toBe(first)
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })

  it('are refused while the file is damaged, which is never overwritten', () => {
    const file = join(folder(), 'webhook-secret')
    writeFileSync(file, 'not a key')
    expect(() => {
      inFile(file).ensureMaster()
    }).toThrow(/64 hex digits/)
    expect(readFileSync(file, 'utf8')).toBe('not a key')
  })
})
