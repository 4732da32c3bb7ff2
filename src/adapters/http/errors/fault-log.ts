import { reasonOf, stackOf, type Log } from '../../../application/ports/log.js'
import { isRefused, refusedAnswers } from '../../../application/ports/refusal.js'
import type { HttpFault } from './faults.js'

/** The shortest interval between two log lines about `overloaded`, in milliseconds. */
const writeEveryMs = 1_000

/**
 * Logs server errors (5xx): one line per request, and one line per error code of a batch. For
 * `overloaded`, only counts the refusals and logs their number at most once per second. One line
 * per refusal would cost most when the load is highest.
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

  /**
   * Logs one line for `items` failed items of a batch that have the same error code. `error` is the error of the
   * first such item.
   */
  addItems(requestId: string, error: unknown, fault: HttpFault, items: number): void {
    if (!this.isOwnLine(error, fault, items)) return
    const reason = reasonFor(error, fault)
    this.log.error({ requestId, code: fault.code, items, reason }, 'items of a batch failed')
  }

  /** Returns whether the fault gets its own log line. Counts `overloaded` for the next summary line instead. */
  private isOwnLine(error: unknown, fault: HttpFault, times: number): boolean {
    // Writes no line for a fault that a route throws on purpose (not ready, stopping), because it
    // is not a failure.
    if (fault.status < 500 || error === fault) return false
    // Writes no line when a query is refused. Clients choose to wait for the read model, so a
    // timeout is normal. A read model that cannot continue logs the reason itself.
    if (fault.code !== 'overloaded') return !isRefused(error, ...refusedAnswers)
    this.refused += times
    this.timer ??= setTimeout(this.writeRefused, writeEveryMs).unref()
    return false
  }

  /** Logs the number of `overloaded` refusals since the last such line. Also called when the process stops. */
  readonly writeRefused = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
    const { refused } = this
    this.refused = 0
    if (refused > 0) this.log.warn({ code: 'overloaded', refused }, 'requests were refused')
  }
}

/**
 * Returns the reason to log. Includes the stack only for an internal error. During an outage, every
 * line would otherwise repeat the same stack.
 */
function reasonFor(error: unknown, { code }: HttpFault): string {
  return code === 'internal_error' ? stackOf(error) : reasonOf(error)
}
