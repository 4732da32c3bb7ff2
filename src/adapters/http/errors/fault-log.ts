import { reasonOf, stackOf, type Log } from '../../../application/ports/log.js'
import { isRefused, refusedAnswers } from '../../../application/ports/refusal.js'
import type { HttpFault } from './faults.js'

/** How often refusals are logged, in milliseconds. */
const writeEveryMs = 1_000

/**
 * Logs, for whoever runs the service, the faults that are ours (5xx): a line for each request, for a
 * batch one for each code. `overloaded` is no mistake but a refusal on purpose, and a line for each
 * would make it dear when there is the least time for it: of these there is one line a second with
 * their number, and none while there are none.
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

  /** The same for `items` items of a batch that have the same code; `error` is that of the first. */
  addItems(requestId: string, error: unknown, fault: HttpFault, items: number): void {
    if (!this.isOwnLine(error, fault, items)) return
    const reason = reasonFor(error, fault)
    this.log.error({ requestId, code: fault.code, items, reason }, 'items of a batch failed')
  }

  /** Whether a line is due now; refusals are counted for the next one. */
  private isOwnLine(error: unknown, fault: HttpFault, times: number): boolean {
    // A fault that a route answers with on purpose (not ready, stopping) is no failure.
    if (fault.status < 500 || error === fault) return false
    // Clients wait for the read model on purpose. When it cannot go on, it logs the reason itself.
    if (fault.code !== 'overloaded') return !isRefused(error, ...refusedAnswers)
    this.refused += times
    this.timer ??= setTimeout(this.writeRefused, writeEveryMs).unref()
    return false
  }

  /** Writes the refusals that are not logged yet; to be called at the end. */
  readonly writeRefused = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
    const { refused } = this
    this.refused = 0
    if (refused > 0) this.log.warn({ code: 'overloaded', refused }, 'requests were refused')
  }
}

/** Why: a mistake of ours with the place where it was made; an outage says the same in every line. */
function reasonFor(error: unknown, { code }: HttpFault): string {
  return code === 'internal_error' ? stackOf(error) : reasonOf(error)
}
