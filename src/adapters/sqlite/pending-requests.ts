import { Deadlines, type Deadline } from '../../application/deadlines.js'
import { nobodyWaits, type Cancellation } from '../../application/ports/cancellation.js'

/** The most abandoned requests without a response. When there are more, the thread gets no new requests. */
const maxAbandoned = 1_024

export interface Wait {
  readonly timeoutMs: number
  /**
   * The time that a thread has to stop working on a cancelled or late request, in milliseconds. After that time
   * the request rejects.
   */
  readonly graceMs?: number
  readonly cancellation?: Cancellation | undefined
  /** Returns the error of a request without a response. `reason` is for the application log. */
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
 * The requests to another thread that have no response yet, by id. After a request has its response, its id can be
 * reused.
 *
 * The list is indexed by id. A `Map` whose ids only grow would be rehashed all the time. Its old hash tables would
 * keep their requests in memory until the next full garbage collection. In measurements, such a `Map` took a tenth
 * of the time of a read.
 */
export class PendingRequests<Response> {
  private readonly pending: (Pending<Response> | undefined)[] = []
  private readonly freeIds: number[] = []
  private readonly deadlines = new Deadlines()
  /**
   * The number of abandoned requests that the thread may still respond to. Their ids are not reused until the
   * response.
   */
  private abandoned = 0

  /** `onCancelled` is called with the id of each request that is cancelled or late. */
  constructor(private readonly onCancelled: (id: number) => void = () => undefined) {}

  /**
   * Sends a request. Resolves with `read(response)`. Rejects with the error of `read`, or with `wait.noResponse`
   * when no response arrives.
   */
  add<Result>(
    wait: Wait,
    send: (id: number) => void,
    read: (response: Response) => Result,
  ): Promise<Result> {
    const { timeoutMs, cancellation, noResponse } = wait
    if (cancellation?.isCancelled === true) return Promise.reject(nobodyWaits())
    if (this.abandoned >= maxAbandoned) {
      return Promise.reject(noResponse('the thread has not responded to too many requests'))
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

  /** Settles the request `id` with its response. Ignores the response to an abandoned request. */
  respond(id: number, response: Response): void {
    const pending = this.pending[id]
    this.pending[id] = undefined
    this.freeIds.push(id)
    if (pending === undefined) {
      this.abandoned -= 1
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
    this.abandoned = 0
  }

  private leave({ wait, cancel, deadline }: Pending<Response>): void {
    this.deadlines.drop(deadline)
    wait.cancellation?.forget(cancel)
  }

  /**
   * Cancels a request. The request rejects when the thread has stopped its work on the request, or when the grace
   * time is over. The caller therefore starts no other work while the thread is still busy.
   */
  private cancel(id: number): void {
    const pending = this.pending[id]
    if (pending === undefined) return
    this.deadlines.drop(pending.deadline)
    this.onCancelled(id)
    const { graceMs = 0, noResponse } = pending.wait
    const giveUp = () => {
      this.pending[id] = undefined
      this.abandoned += 1
      this.leave(pending)
      pending.reject(noResponse('the disk did not respond in time'))
    }
    if (graceMs === 0) giveUp()
    else pending.deadline = this.deadlines.add(graceMs, giveUp)
  }
}
