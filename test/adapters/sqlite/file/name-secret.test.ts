import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from '@jest/globals'
import { NameSecret } from '../../../../src/adapters/sqlite/file/name-secret.js'
import { unfinishedSecret } from '../../../../src/adapters/sqlite/file/paths.js'
import { StoreNotOpened } from '../../../../src/application/ports/refusal.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string

beforeEach(() => {
  path = join(folder(), 'dossier.db.secret')
})

it('the first use creates a secret that only the owner can read, and later uses find it', () => {
  const hash = new NameSecret(path, false).hashOf('entity-ada')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path)).toHaveLength(32)
  expect(existsSync(unfinishedSecret(path))).toBe(false)
  expect(new NameSecret(path, true).hashOf('entity-ada')).toEqual(hash)
})

it('an incomplete secret that a crash left is not used', () => {
  writeFileSync(unfinishedSecret(path), 'half of a secret')
  const hash = new NameSecret(path, false).hashOf('entity-ada')
  expect(readFileSync(path)).toHaveLength(32)
  expect(new NameSecret(path, true).hashOf('entity-ada')).toEqual(hash)
})

it.each(['', 'short', 'x'.repeat(33)])('a secret that is %p is refused', (text) => {
  writeFileSync(path, text)
  for (const isNeeded of [true, false]) {
    expect(() => new NameSecret(path, isNeeded)).toThrow(StoreNotOpened)
    expect(() => new NameSecret(path, isNeeded)).toThrow(/empty or cut.*Restore it/)
  }
})

it('a missing secret is refused when names were hashed with it', () => {
  expect(() => new NameSecret(path, true)).toThrow(
    /is missing.*Restore it together with the database/,
  )
})

it('a database without a secret adopts the secret of a copied database, and refuses a second secret', () => {
  const secret = Buffer.alloc(32, 7)
  expect(new NameSecret(path, false).adopt(secret)).toBe(true)
  const again = new NameSecret(path, true)
  expect(again.adopt(secret)).toBe(true)
  expect(again.adopt(Buffer.alloc(32, 8))).toBe(false)
})
