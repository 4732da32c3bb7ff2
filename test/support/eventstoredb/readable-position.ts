import type { Disk } from './disk.js'

/**
 * Whether the server can start reading there: at an event, anywhere in what was scavenged or, going forwards,
 * beyond the last.
 */
export function isReadable(disk: Disk, position: bigint, backwards: boolean): boolean {
  const [last] = disk.before(disk.visible, 1, () => true)
  if (position === 0n || (!backwards && position > (last?.position ?? 0n))) return true
  if (disk.isScavenged(position)) return true
  const [found] = disk.from(disk.indexOf(position), 1, () => true)
  return found?.position === position
}
