import { reasonOf, stackOf, type Log } from '../../../application/ports/log.js'
import { isRefused, refusedAnswers } from '../../../application/ports/refusal.js'
import type { HttpFault } from './faults.js'

/** How often refusals are logged, in milliseconds. */
const writeEveryMs = 1_000

/**
 * Logs the faults that are ours (5xx): a line for each request, and for a batch a line for each code. `overloaded` is
 * a refusal on purpose, and a line for each would cost the most when there is the least time. So one line per second
 * has their number.
 */
export class FaultLog {
  private refused = 0
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly log: Log) {}

  add(requestId: string, error: unknown, fault: HttpFault): void {
    if (!this.isOwnLine(error, fault, 1)) return
    const reason = reasonFor(error, fault)
    this.log.error({ requestId, code: fault.code, reason }, 'a request failed')
  }

  /** Logs one line for `items` items of a batch that have the same code. `error` is the error of the first item. */
  addItems(requestId: string, error: unknown, fault: HttpFault, items: number): void {
    if (!this.isOwnLine(error, fault, items)) return
    const reason = reasonFor(error, fault)
    this.log.error({ requestId, code: fault.code, items, reason }, 'items of a batch failed')
  }

  /** Whether the fault gets a line of its own. `overloaded` is counted for the next line instead. */
  private isOwnLine(error: unknown, fault: HttpFault, times: number): boolean {
    // A fault that a route throws on purpose (not ready, stopping) is no failure.
    if (fault.status < 500 || error === fault) return false
    // Clients wait for the read model on purpose. When it cannot go on, it logs the reason itself.
    if (fault.code !== 'overloaded') return !isRefused(error, ...refusedAnswers)
    this.refused += times
    this.timer ??= setTimeout(this.writeRefused, writeEveryMs).unref()
    return false
  }

  /** Logs the number of refusals since the last line. Called at the end, too. */
  readonly writeRefused = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
    const { refused } = this
    this.refused = 0
    if (refused > 0) this.log.warn({ code: 'overloaded', refused }, 'requests were refused')
  }
}

/** The reason of a fault. An internal error has its stack; an outage would have the same stack in every line. */
function reasonFor(error: unknown, { code }: HttpFault): string {
  return code === 'internal_error' ? stackOf(error) : reasonOf(error)
}
