import type { Disk } from './disk.js'

/**
 * Returns whether the server can start reading at the position: at an event, anywhere in scavenged chunks, or
 * forwards after the last event.
 */
export function isReadable(disk: Disk, position: bigint, backwards: boolean): boolean {
  const [last] = disk.before(disk.visible, 1, () => true)
  if (position === 0n || (!backwards && position > (last?.position ?? 0n))) return true
  if (disk.isScavenged(position)) return true
  const [found] = disk.from(disk.indexOf(position), 1, () => true)
  return found?.position === position
}
