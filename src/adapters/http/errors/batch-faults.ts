import type { RequestObserver } from '../ports/request-observer.js'
import type { FaultLog } from './fault-log.js'
import { faultOf } from './fault-of.js'
import type { FaultCode, HttpFault } from './faults.js'

/** The faults of one code: the first of them, with its error. */
interface Failures {
  readonly error: unknown
  readonly fault: HttpFault
  items: number
}

/** The faults of a batch's items. The observer is told of each, the log once of each code. */
export class BatchFaults {
  private readonly byCode = new Map<FaultCode, Failures>()

  constructor(
    private readonly requestId: string,
    private readonly log: FaultLog,
    private readonly observer: RequestObserver,
    /** Told of each fault with the index of its item. */
    private readonly list: (fault: HttpFault, index: number) => void,
  ) {}

  /** What the client is told of an item's error. */
  add(error: unknown, index: number): HttpFault {
    const fault = faultOf(error)
    this.observer.fault(fault.code)
    this.list(fault, index)
    const known = this.byCode.get(fault.code)
    if (known === undefined) this.byCode.set(fault.code, { error, fault, items: 1 })
    else known.items += 1
    return fault
  }

  /** To be called when all items are there. */
  tellLog(): void {
    for (const { error, fault, items } of this.byCode.values()) {
      this.log.addItems(this.requestId, error, fault, items)
    }
  }
}
