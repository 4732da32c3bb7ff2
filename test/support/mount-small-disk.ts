import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a file system with room for `megabytes`. */
export function mountSmallDisk(megabytes: number): { readonly folder: string; unmount(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-disk-'))
  const size = `size=${String(megabytes)}m`
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder])
  const unmount = () => {
    spawnSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  }
  if (status === 0) return { folder, unmount }
  unmount()
  throw new Error('no file system can be mounted here')
}

/** Returns whether this process may mount a file system. */
export function canMount(): boolean {
  if (process.platform !== 'linux') return false
  try {
    mountSmallDisk(1).unmount()
    return true
  } catch {
    return false
  }
}
