import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The longest time that strace has to detach, in milliseconds. */
const patienceMs = 5_000

export interface Attached {
  /** Detaches strace, and the process continues normally. Resolves also when the process has ended. */
  release(): Promise<void>
}

/**
 * Attaches strace to all threads of a process. Resolves when all threads are attached. Throws when that fails, for
 * example because the process has ended. Calls `heard` with each line that strace prints.
 */
export async function attachStrace(
  pid: number,
  args: readonly string[],
  heard: (line: string) => void = () => undefined,
): Promise<Attached> {
  const tracer = spawn('strace', ['-f', '-p', String(pid), ...args])
  const ended = once(tracer, 'exit')
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: tracer.stderr }).on('line', (line) => {
      heard(line)
      if (line.includes('attached')) resolve()
    })
    void ended.then(() => {
      reject(new Error(`strace does not hold process ${String(pid)}`))
    })
  })
  return {
    release: async () => {
      tracer.kill('SIGINT')
      // A thread that ends at this moment can keep strace waiting for ever. So strace is killed, and the kernel
      // detaches it.
      const stuck = setTimeout(() => tracer.kill('SIGKILL'), patienceMs)
      await ended
      clearTimeout(stuck)
    },
  }
}
