import { spawnSync } from 'node:child_process'
import { attachStrace, type Attached } from './attach-strace.js'

/** Returns whether strace is installed and may be used. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
}

/** Makes each flush of a process hang for a minute, or until it is released. */
export function holdFlushes(pid: number): Promise<Attached> {
  const flushes = 'fsync,fdatasync'
  return attachStrace(pid, [
    ...['-o', '/dev/null', '-e', `trace=${flushes}`],
    ...['-e', `inject=${flushes}:delay_enter=60s`],
  ])
}
