import { setTimeout as pause } from 'node:timers/promises'
import { socketsOf } from './memory.js'

const lookEveryMs = 100
/** The number of equal counts in a row after which all closed connections have disappeared. */
const looksAlike = 5
/** The longest wait for that, in milliseconds. A client closes abandoned connections within some seconds. */
const maxWaitMs = 20_000

/** Compares the number of sockets of a process before and after a test. */
export class OpenSockets {
  private constructor(
    private readonly pid: number,
    private readonly before: number | undefined,
  ) {}

  /** Counts the sockets. Must be called while nobody is connected to the process. */
  static async countedIn(pid: number): Promise<OpenSockets> {
    let before = socketsOf(pid)
    const dueAt = performance.now() + maxWaitMs
    for (let alike = 0; alike < looksAlike && performance.now() < dueAt; alike += 1) {
      await pause(lookEveryMs)
      const now = socketsOf(pid)
      if (now !== before) alike = -1
      before = now
    }
    return new OpenSockets(pid, before)
  }

  /**
   * Counts again. Must be called when nobody is connected any more. `more` is the number of sockets that stayed
   * open.
   */
  async compared(): Promise<{ readonly note: string; readonly more: number }> {
    const { pid, before } = this
    const dueAt = performance.now() + maxWaitMs
    let after = socketsOf(pid)
    if (before === undefined || after === undefined)
      return { note: 'its sockets cannot be counted here', more: 0 }
    while (after > before && performance.now() < dueAt) {
      await pause(lookEveryMs)
      after = socketsOf(pid) ?? before
    }
    const note = `sockets of the service: ${String(before)} before, ${String(after)} after`
    return { note, more: Math.max(0, after - before) }
  }
}
