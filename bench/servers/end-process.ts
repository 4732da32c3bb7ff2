import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The time for a graceful end, in milliseconds. */
const maxWaitMs = 30_000

/**
 * Ends a process that may already have ended, and returns how it ended. Kills the process when it does not end in
 * time.
 */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), maxWaitMs)
    await ended
    clearTimeout(timer)
  }
  return { code: child.exitCode, signal: child.signalCode }
}
