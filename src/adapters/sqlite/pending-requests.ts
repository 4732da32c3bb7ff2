import { Deadlines, type Deadline } from '../../application/deadlines.js'
import { nobodyWaits, type Cancellation } from '../../application/ports/cancellation.js'

/**
 * The most responses that a thread may owe to abandoned requests. Above this number the thread gets no new
 * requests.
 */
const maxGivenUp = 1_024

export interface Wait {
  readonly timeoutMs: number
  /** How long a cancelled or late request still waits for the thread to stop, in milliseconds. */
  readonly graceMs?: number
  readonly cancellation?: Cancellation | undefined
  /** The error of a request without a response. `reason` is for the application log. */
  readonly noResponse: (reason: string) => Error
}

interface Pending<Response> {
  readonly wait: Wait
  readonly respond: (response: Response) => void
  readonly reject: (error: unknown) => void
  readonly cancel: () => void
  deadline: Deadline
}

/**
 * The requests to another thread that have no response yet, by id. An id is free again after the thread has
 * responded.
 *
 * A map whose ids only grow would be rehashed all the time. Its old tables would keep their requests in
 * memory until the next full collection, which was a tenth of a read's cost.
 */
export class PendingRequests<Response> {
  private readonly pending: (Pending<Response> | undefined)[] = []
  private readonly freeIds: number[] = []
  private readonly deadlines = new Deadlines()
  /** How many abandoned requests keep their ids, because the thread may still respond to them. */
  private givenUp = 0

  /** `onCancelled` is called with the id of a request whose response is no longer needed. */
  constructor(private readonly onCancelled: (id: number) => void = () => undefined) {}

  /** Sends a request. Resolves with the result of `read` for the response, or rejects with its error. */
  add<Result>(
    wait: Wait,
    send: (id: number) => void,
    read: (response: Response) => Result,
  ): Promise<Result> {
    const { timeoutMs, cancellation, noResponse } = wait
    if (cancellation?.isCancelled === true) return Promise.reject(nobodyWaits())
    if (this.givenUp >= maxGivenUp) {
      return Promise.reject(noResponse('the thread owes too many responses'))
    }
    const id = this.freeIds.pop() ?? this.pending.length
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.cancel(id)
      }
      const respond = (response: Response) => {
        resolve(read(response))
      }
      const deadline = this.deadlines.add(timeoutMs, cancel)
      cancellation?.listen(cancel)
      this.pending[id] = { wait, respond, reject, cancel, deadline }
      send(id)
    })
  }

  /** Settles the request with this id. Ignores the response to an abandoned request. */
  respond(id: number, response: Response): void {
    const pending = this.pending[id]
    this.pending[id] = undefined
    this.freeIds.push(id)
    if (pending === undefined) {
      this.givenUp -= 1
      return
    }
    this.leave(pending)
    try {
      pending.respond(response)
    } catch (error) {
      pending.reject(error)
    }
  }

  /** Rejects all requests, because the thread has ended. */
  endAll(reason: string): void {
    for (const pending of this.pending.splice(0)) {
      if (pending === undefined) continue
      this.leave(pending)
      pending.reject(pending.wait.noResponse(reason))
    }
    this.freeIds.length = 0
    this.givenUp = 0
  }

  private leave({ wait, cancel, deadline }: Pending<Response>): void {
    this.deadlines.drop(deadline)
    wait.cancellation?.forget(cancel)
  }

  /**
   * Cancels a request. It rejects once the thread has stopped or the grace time is over, so that no other
   * work begins earlier.
   */
  private cancel(id: number): void {
    const pending = this.pending[id]
    if (pending === undefined) return
    this.deadlines.drop(pending.deadline)
    this.onCancelled(id)
    const { graceMs = 0, noResponse } = pending.wait
    const giveUp = () => {
      this.pending[id] = undefined
      this.givenUp += 1
      this.leave(pending)
      pending.reject(noResponse('the disk did not respond in time'))
    }
    if (graceMs === 0) giveUp()
    else pending.deadline = this.deadlines.add(graceMs, giveUp)
  }
}
