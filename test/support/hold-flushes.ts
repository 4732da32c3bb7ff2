import { spawnSync } from 'node:child_process'
import { attachStrace, type Attached } from './attach-strace.js'

/** Whether there is strace here, and the right to use it. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
}

/** Makes every flush of a process hang, each for a minute, until it is released. */
export function holdFlushes(pid: number): Promise<Attached> {
  const flushes = 'fsync,fdatasync'
  return attachStrace(pid, [
    ...['-o', '/dev/null', '-e', `trace=${flushes}`],
    ...['-e', `inject=${flushes}:delay_enter=60s`],
  ])
}
