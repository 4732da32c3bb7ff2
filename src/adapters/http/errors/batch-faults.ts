import type { RequestObserver } from '../ports/observers.js'
import type { FaultLog } from './fault-log.js'
import { faultOf } from './fault-of.js'
import type { FaultCode, HttpFault } from './faults.js'

interface Failures {
  readonly error: unknown
  readonly fault: HttpFault
  items: number
}

/**
 * Collects the faults of a batch's items. Reports each fault to the observer, and writes one log line per error
 * code.
 */
export class BatchFaults {
  private readonly byCode = new Map<FaultCode, Failures>()

  constructor(
    private readonly requestId: string,
    private readonly log: FaultLog,
    private readonly observer: RequestObserver,
    private readonly list: (fault: HttpFault, index: number) => void,
  ) {}

  add(error: unknown, index: number): HttpFault {
    const fault = faultOf(error)
    this.observer.fault(fault.code)
    this.list(fault, index)
    const counted = this.byCode.get(fault.code)
    if (counted === undefined) this.byCode.set(fault.code, { error, fault, items: 1 })
    else counted.items += 1
    return fault
  }

  /** Writes the log lines. Call this once, after the last item. */
  writeLog(): void {
    for (const { error, fault, items } of this.byCode.values()) {
      this.log.addItems(this.requestId, error, fault, items)
    }
  }
}
