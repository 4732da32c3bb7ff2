import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { FileKeyRing } from '../../../src/adapters/api-keys/file-key-ring.js'
import { makeFirstKey, createKey, revokeKey } from '../../../src/adapters/api-keys/manage-keys.js'
import { KeysFileUnusable } from '../../../src/adapters/api-keys/replace-file.js'
import { readKeysFile } from '../../../src/adapters/api-keys/keys-file.js'
import { asOtherUser, itAsRoot } from '../../support/as-root.js'
import { LogLines } from '../../support/log-lines.js'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import { silentLog } from '../../support/silent-log.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string
let ring: FileKeyRing | undefined

beforeEach(() => {
  path = join(folder(), 'keys', 'api-keys.json')
})

afterEach(() => ring?.close())

function open(log = silentLog): FileKeyRing {
  ring = new FileKeyRing(path, log, pause)
  return ring
}

describe('the keys file', () => {
  it('is readable by its owner alone and holds no key', () => {
    const { key } = createKey(path, 'web', ['write'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).not.toContain(key)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('opens to the keys that were created and not revoked', () => {
    const web = createKey(path, 'web', ['write'])
    const old = createKey(path, 'old', ['read', 'write'])
    revokeKey(path, old.id)
    const keyRing = open()
    expect(keyRing.holderOf(web.key)).toEqual({ id: web.id, name: 'web', scopes: ['write'] })
    expect(keyRing.holderOf(old.key)).toBeUndefined()
    expect(keyRing.holderOf(createKey(join(folder(), 'k'), 'web', ['write']).key)).toBeUndefined()
    expect(keyRing.holderOf('')).toBeUndefined()
  })

  it('keeps scopes that this version does not know, which give nothing', () => {
    const web = createKey(path, 'web', ['write'])
    const later = readFileSync(path, 'utf8').replace('"write"', '"write", "unheard-of"')
    writeFileSync(path, later)
    expect(open().holderOf(web.key)).toEqual({ id: web.id, name: 'web', scopes: ['write'] })
    createKey(path, 'app', ['read'])
    expect(readKeysFile(path)?.map(({ scopes }) => scopes)).toEqual([
      ['write', 'unheard-of'],
      ['read'],
    ])
  })

  it('refuses a secret that is not its own under a known id', () => {
    const { key, id } = createKey(path, 'web', ['write'])
    const forged = createKey(join(folder(), 'other'), 'web', ['write'])
    const entries = readKeysFile(path) ?? []
    writeFileSync(
      path,
      JSON.stringify({ version: 1, keys: entries.map((entry) => ({ ...entry, id: forged.id })) }),
    )
    const keyRing = open()
    expect(id).not.toBe(forged.id)
    expect(keyRing.holderOf(key)).toBeUndefined()
    expect(keyRing.holderOf(forged.key)).toBeUndefined()
  })

  it('lets a key that was in use no longer in when it is revoked', async () => {
    const { key, id } = createKey(path, 'web', ['write'])
    const keyRing = open()
    expect(keyRing.holderOf(key)).toBeDefined()
    revokeKey(path, id)
    await keyRing.reloadIfChanged()
    expect(keyRing.holderOf(key)).toBeUndefined()
  })

  it('is read again whatever kept it from being read, and tells of each reason once', async () => {
    const web = createKey(path, 'web', ['write'])
    const log = new LogLines()
    const keyRing = open(log)
    await keyRing.reloadIfChanged()
    expect(log.lines).toEqual([])
    const { key } = createKey(path, 'app', ['write'])
    const good = readFileSync(path)
    writeFileSync(path, '{')
    for (let n = 0; n < 3; n += 1) await keyRing.reloadIfChanged()
    expect(keyRing.holderOf(web.key)).toBeDefined()
    expect(keyRing.holderOf(key)).toBeUndefined()
    rmSync(path)
    for (let n = 0; n < 3; n += 1) await keyRing.reloadIfChanged()
    writeFileSync(path, good)
    for (let n = 0; n < 3; n += 1) await keyRing.reloadIfChanged()
    expect(keyRing.holderOf(key)).toBeDefined()
    expect(log.lines.map(({ level, details }) => ({ level, details }))).toEqual([
      { level: 'error', details: { reason: expect.stringMatching(/is not JSON/) } },
      { level: 'error', details: { reason: expect.stringMatching(/is missing/) } },
      { level: 'info', details: { path, keys: 2 } },
    ])
  })

  itAsRoot('is tried again though it has not changed since it could not be read', async () => {
    createKey(path, 'web', ['write'])
    chmodSync(join(path, '..'), 0o755)
    chmodSync(path, 0o644)
    const log = new LogLines()
    const keyRing = open(log)
    const { key } = createKey(path, 'app', ['write'])
    chmodSync(path, 0o600)
    await asOtherUser(() => keyRing.reloadIfChanged())
    await keyRing.reloadIfChanged()
    expect(keyRing.holderOf(key)).toBeDefined()
    expect(log.lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/unusable/),
      'the keys file was reloaded',
    ])
  })

  it('is taken up when it appears', async () => {
    const log = new LogLines()
    const keyRing = open(log)
    await keyRing.reloadIfChanged()
    const { key } = createKey(path, 'web', ['write'])
    await keyRing.reloadIfChanged()
    expect(keyRing.holderOf(key)).toBeDefined()
    expect(log.lines.map(({ level }) => level)).toEqual(['info'])
  })

  it('warns when it holds no live key', () => {
    const { id } = createKey(path, 'web', ['write'])
    revokeKey(path, id)
    const log = new LogLines()
    open(log)
    expect(log.lines).toEqual([
      { level: 'warn', details: { path }, message: 'the keys file contains no live key' },
    ])
  })

  it.each([
    ['{', /is not JSON/],
    ['[]', /invalid value at \//],
    ['{"version":2,"keys":[]}', /invalid value at \/version/],
    ['{"version":1,"keys":[{"id":"x"}]}', /invalid value at \/keys\/0\/id/],
  ])('of the text %s is refused', (text, message) => {
    mkdirSync(join(path, '..'))
    writeFileSync(path, text)
    expect(() => open()).toThrow(KeysFileUnusable)
    expect(() => open()).toThrow(message)
    expect(() => createKey(path, 'web', ['write'])).toThrow(message)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('is not changed by two commands at once', () => {
    createKey(path, 'web', ['write'])
    writeFileSync(`${path}.lock`, '')
    expect(() => createKey(path, 'app', ['write'])).toThrow(/another key command is running/)
    expect(existsSync(`${path}.lock`)).toBe(true)
  })
})

describe('a link to the keys file', () => {
  it('stays a link when the keys change', () => {
    createKey(path, 'web', ['write'])
    const link = join(folder(), 'link.json')
    symlinkSync(path, link)
    createKey(link, 'app', ['write'])
    expect(readKeysFile(path)?.map(({ name }) => name)).toEqual(['web', 'app'])
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
  })
})

describe('the first key', () => {
  it('is made where there is no keys file, and opens', () => {
    const made = makeFirstKey(path)?.path ?? ''
    expect(statSync(made).mode & 0o777).toBe(0o600)
    const key = readFileSync(made, 'utf8').trim()
    expect(open().holderOf(key)).toEqual({
      id: key.split('_')[1],
      name: 'first-key',
      scopes: ['read', 'write', 'segments', 'track', 'erase', 'webhooks'],
    })
  })

  it('is not made where there is one, even one without a live key', () => {
    const { id } = createKey(path, 'web', ['write'])
    revokeKey(path, id)
    expect(makeFirstKey(path)).toBeUndefined()
    expect(readKeysFile(path)).toHaveLength(1)
  })

  it('leaves its file when it is revoked, and the file of a live first key stays', () => {
    const made = makeFirstKey(path)?.path ?? ''
    createKey(path, 'web', ['read'])
    revokeKey(path, 'web')
    expect(existsSync(made)).toBe(true)
    revokeKey(path, 'first-key')
    expect(existsSync(made)).toBe(false)
    writeFileSync(made, 'a note of the operator')
    createKey(path, 'app', ['read'])
    revokeKey(path, 'app')
    expect(existsSync(made)).toBe(true)
  })
})
