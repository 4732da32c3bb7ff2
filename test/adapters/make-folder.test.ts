import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { makeFolder } from '../../src/adapters/make-folder.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const temporary = temporaryFolders()
let place: string
beforeEach(() => {
  place = temporary()
})

describe('a folder', () => {
  it('is created with its parents, for its owner only', () => {
    const folders = ['a', 'a/b', 'a/b/c'].map((name) => join(place, name))
    expect(makeFolder(folders[2] ?? '')).toEqual(folders)
    for (const folder of folders) expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(makeFolder(folders[2] ?? '')).toEqual([])
  })

  it('that exists behind a link is left as it is', () => {
    symlinkSync(place, join(place, 'link'))
    expect(makeFolder(join(place, 'link'))).toEqual([])
    expect(makeFolder(join(place, 'link', 'a'))).toEqual([join(place, 'link', 'a')])
  })

  it.each([
    ['below a file', 'file/a/b', 'ENOTDIR'],
    ['in the place of a file', 'file', 'EEXIST'],
    ['below a link to nothing', 'link/a/b', 'EEXIST'],
  ])('is refused %s', (_where, path, code) => {
    writeFileSync(join(place, 'file'), '')
    symlinkSync(join(place, 'nothing'), join(place, 'link'))
    expect(() => makeFolder(join(place, path))).toThrow(expect.objectContaining({ code }))
    expect(readdirSync(place).sort()).toEqual(['file', 'link'])
  })

  // Reads /proc, where the system creates nothing. No other file system refuses a folder in this way.
  const itWithProc = process.platform === 'linux' ? it : it.skip
  itWithProc('is refused at once where the system can never create it', () => {
    expect(() => makeFolder('/proc/no-such-folder/a')).toThrow(
      expect.objectContaining({ code: 'ENOENT', path: '/proc/no-such-folder' }),
    )
  })
})
