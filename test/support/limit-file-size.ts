import { spawnSync } from 'node:child_process'

/** Returns whether `prlimit` can set limits of another process. */
export function canLimit(): boolean {
  return spawnSync('prlimit', ['--fsize', '--pid', String(process.pid)]).status === 0
}

/**
 * Limits the size of each file that a process writes. The write that crosses the limit is partial, and returns the
 * number of written bytes. The next write fails with EFBIG. Undefined removes the limit. Has no effect on a process
 * that has ended.
 */
export function limitFileSize(pid: number, bytes: number | undefined): void {
  const limit = bytes === undefined ? 'unlimited' : String(bytes)
  const { status, stderr } = spawnSync('prlimit', [
    ...['--pid', String(pid), `--fsize=${limit}:unlimited`],
  ])
  const said = stderr.toString()
  if (status !== 0 && !said.includes('No such process')) throw new Error(`prlimit: ${said}`)
}
