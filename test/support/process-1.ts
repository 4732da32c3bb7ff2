import { spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { it } from '@jest/globals'

/** The command prefix that starts a program as process 1, as in a container without an init. */
export const asProcess1 = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']

/** A test that starts a process 1. Skipped when that is not permitted. */
export const itAsProcess1: typeof it.skip = canUnshare() ? it : it.skip

function canUnshare(): boolean {
  const [command = '', ...args] = asProcess1
  return spawnSync(command, args.concat('true')).status === 0
}

/** Sends a signal to the process 1 that `unshare` has started. */
export function signalProcess1(unshare: ChildProcess, signal: NodeJS.Signals): void {
  const pid = String(unshare.pid)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  process.kill(Number(children), signal)
}
