import type { Disk } from './disk.js'

/**
 * Returns whether the server can start reading at the position: at an event, anywhere in scavenged chunks, or
 * after the last event.
 */
export function isReadable(disk: Disk, position: bigint): boolean {
  const [found] = disk.committedRecords(disk.indexOf(position), 1)
  return (
    position === 0n ||
    found === undefined ||
    found.position === position ||
    disk.isScavenged(position)
  )
}
