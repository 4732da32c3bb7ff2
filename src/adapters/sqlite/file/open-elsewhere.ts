import { existsSync, readFileSync, statSync } from 'node:fs'

/** Where Linux lists the locks of all processes. */
const locks = '/proc/locks'

/**
 * Whether another process has the database at `path` open: each holds a lock on the index of its log.
 * False where that cannot be known.
 */
export function isOpenElsewhere(path: string): boolean {
  const index = `${path}-shm`
  if (!existsSync(locks) || !existsSync(index)) return false
  const inode = String(statSync(index).ino)
  return readFileSync(locks, 'utf8')
    .split('\n')
    .some((line) => {
      // 7: POSIX  ADVISORY  READ 4711 fe:00:1234567 128 128
      const [, , , , pid, place] = line.split(/ +/)
      return place?.split(':').at(-1) === inode && pid !== String(process.pid)
    })
}
