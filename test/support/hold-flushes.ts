import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Whether there is strace here, and the right to use it. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
}

export interface Hold {
  /** Lets go: what was held goes on. */
  release(): Promise<void>
}

/** Makes every flush of a process hang, each for a minute, until it is released. */
export async function holdFlushes(pid: number): Promise<Hold> {
  const flushes = 'fsync,fdatasync'
  const tracer = spawn('strace', [
    ...['-f', '-p', String(pid), '-o', '/dev/null'],
    ...['-e', `trace=${flushes}`, '-e', `inject=${flushes}:delay_enter=60s`],
  ])
  const ended = new Promise<void>((resolve) => {
    tracer.once('exit', () => {
      resolve()
    })
  })
  await new Promise<void>((resolve) => {
    createInterface({ input: tracer.stderr }).on('line', (line) => {
      if (line.includes('attached')) resolve()
    })
  })
  return {
    release: async () => {
      tracer.kill('SIGINT')
      await ended
    },
  }
}
