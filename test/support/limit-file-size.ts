import { spawnSync } from 'node:child_process'

/** Whether there is a command that sets limits of another process. */
export function canLimit(): boolean {
  return spawnSync('prlimit', ['--fsize', '--pid', String(process.pid)]).status === 0
}

/**
 * Lets no file of a process grow beyond so many bytes. The write that crosses the limit is a short
 * one: it takes what is below and says so. The next one fails with EFBIG. Undefined: no limit. It
 * does nothing to a process that has ended.
 */
export function limitFileSize(pid: number, bytes: number | undefined): void {
  const limit = bytes === undefined ? 'unlimited' : String(bytes)
  const { status, stderr } = spawnSync('prlimit', [
    ...['--pid', String(pid), `--fsize=${limit}:unlimited`],
  ])
  const said = stderr.toString()
  if (status !== 0 && !said.includes('No such process')) throw new Error(`prlimit: ${said}`)
}
