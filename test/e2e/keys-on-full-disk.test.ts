import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { createKey } from '../../src/adapters/api-keys/manage-keys.js'
import { mountSmallDisk } from '../support/mount-small-disk.js'
import { itWithSmallDisk } from '../support/small-disk.js'
import { startedProgram } from '../support/started-programs.js'

itWithSmallDisk('a key command without space for all keys changes none, and reports this', () => {
  const disk = mountSmallDisk(1)
  try {
    const path = join(disk.folder, 'api-keys.json')
    for (let n = 0; n < 40; n += 1) createKey(path, `web-${String(n)}`, ['write'])
    const before = readFileSync(path, 'utf8')
    const ballast = join(disk.folder, 'ballast')
    // The keys file takes several blocks, and one block is free.
    const { bavail, bsize } = statfsSync(disk.folder)
    expect(before.length).toBeGreaterThan(2 * bsize)
    writeFileSync(ballast, Buffer.alloc((bavail - 1) * bsize))
    const keys = (...words: readonly string[]) => {
      const options = { encoding: 'utf8', env: { API_KEYS_FILE: path } } as const
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [startedProgram('dossier'), 'keys', ...words],
        options,
      )
      return { status, stdout, stderr }
    }
    for (const words of [
      ['revoke', 'web-7'],
      ['create', '--name', 'app', '--scope', 'write'],
    ]) {
      expect(keys(...words)).toEqual({
        status: 1,
        stdout: '',
        stderr: `${path} was not changed: ENOSPC: no space left on device, write.\n`,
      })
      expect(readFileSync(path, 'utf8')).toBe(before)
      expect(readdirSync(disk.folder).sort()).toEqual(['api-keys.json', 'ballast'])
    }
    rmSync(ballast)
    expect(keys('revoke', 'web-7').status).toBe(0)
  } finally {
    disk.unmount()
  }
})
