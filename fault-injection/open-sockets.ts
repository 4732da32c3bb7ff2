import { setTimeout as pause } from 'node:timers/promises'
import { socketsOf } from './memory.js'

const lookEveryMs = 100
/** So many looks in a row with the same number: connections that were hung up are closed by then. */
const looksAlike = 5
/** A client closes what it has left within some seconds. */
const maxWaitMs = 20_000

/** Whether a process ends with as many sockets as it began. */
export class OpenSockets {
  private constructor(
    private readonly pid: number,
    private readonly before: number | undefined,
  ) {}

  /** To be called when nobody is connected to the process. */
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

  /** To be called when nobody is connected again. `more`: so many have stayed open. */
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
