import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { KeysFileUnusable } from '../../../src/adapters/api-keys/replace-file.js'
import { createKey, listKeys, revokeKey } from '../../../src/adapters/api-keys/manage-keys.js'
import { asOtherUser, itAsRoot, otherUser } from '../../support/as-root.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string

beforeEach(() => {
  path = join(folder(), 'api-keys.json')
})

function rightsOf(file: string) {
  const { uid, gid, mode } = statSync(file)
  return { uid, gid, mode: mode & 0o777 }
}

describe('a keys file that is replaced', () => {
  it('keeps its mode', () => {
    createKey(path, 'web', ['write'])
    chmodSync(path, 0o640)
    revokeKey(path, 'web')
    expect(rightsOf(path).mode).toBe(0o640)
  })

  itAsRoot('by root keeps its owner, group and mode', () => {
    createKey(path, 'web', ['write'])
    chownSync(path, otherUser, otherUser)
    revokeKey(path, 'web')
    expect(rightsOf(path)).toEqual({ uid: otherUser, gid: otherUser, mode: 0o600 })
  })

  itAsRoot('by a user who cannot keep its owner stays as it is', async () => {
    createKey(path, 'web', ['write'])
    chmodSync(path, 0o644)
    chmodSync(dirname(path), 0o777)
    const before = readFileSync(path, 'utf8')
    await asOtherUser(() => {
      expect(() => revokeKey(path, 'web')).toThrow(
        `${path} was not changed: it belongs to user 0 and group 0, which user 65534 cannot give ` +
          'to a file. Run the command as user 0 or as root.',
      )
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(readdirSync(dirname(path))).toEqual(['api-keys.json'])
  })

  itAsRoot('may lose a group that has no rights', async () => {
    createKey(path, 'web', ['write'])
    chownSync(path, otherUser, 1)
    chownSync(dirname(path), otherUser, otherUser)
    await asOtherUser(() => revokeKey(path, 'web'))
    expect(rightsOf(path)).toEqual({ uid: otherUser, gid: otherUser, mode: 0o600 })
  })
})

describe('a new keys file', () => {
  itAsRoot('of root belongs to the owner of its folder, and so do folders made for it', () => {
    chownSync(dirname(path), otherUser, otherUser)
    createKey(path, 'web', ['write'])
    const below = join(dirname(path), 'some', 'keys', 'api-keys.json')
    createKey(below, 'web', ['write'])
    const owner = { uid: otherUser, gid: otherUser }
    expect(rightsOf(path)).toEqual({ ...owner, mode: 0o600 })
    expect(rightsOf(below)).toEqual({ ...owner, mode: 0o600 })
    expect(rightsOf(dirname(below))).toEqual({ ...owner, mode: 0o700 })
    expect(rightsOf(dirname(dirname(below)))).toEqual({ ...owner, mode: 0o700 })
  })

  it('is not made where a link leads to a file that is not there', () => {
    symlinkSync(join(folder(), 'not-mounted', 'api-keys.json'), path)
    expect(() => createKey(path, 'web', ['write'])).toThrow(/is a link to a missing file/)
    expect(readdirSync(dirname(path))).toEqual(['api-keys.json'])
  })

  it('is not made where a folder has its name, or below a file; nothing is left behind', () => {
    const other = join(dirname(path), 'keys')
    mkdirSync(other)
    expect(() => createKey(other, 'web', ['write'])).toThrow(KeysFileUnusable)
    createKey(path, 'web', ['write'])
    const below = join(path, 'api-keys.json')
    expect(() => createKey(below, 'web', ['write'])).toThrow(KeysFileUnusable)
    expect(readdirSync(dirname(path))).toEqual(['api-keys.json', 'keys'])
  })
})

it('what a killed command left is not read, and stays out of the way', () => {
  createKey(path, 'web', ['write'])
  const half = '{"version":1,'
  writeFileSync(`${path}.new`, half, { mode: 0o400 })
  writeFileSync(`${path}.${String(process.pid)}.new`, half, { mode: 0o400 })
  createKey(path, 'app', ['write'])
  expect(listKeys(path).map(({ name }) => name)).toEqual(['web', 'app'])
  expect(rightsOf(path).mode).toBe(0o600)
})
