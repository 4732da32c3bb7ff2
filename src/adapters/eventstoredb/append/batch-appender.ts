import { setImmediate as immediate } from 'node:timers/promises'
import { Deadlines } from '../../../application/deadlines.js'
import { NotSent, reasonOf, type Answer } from '../client/answer.js'
import { batchMessage, correlationIds, type AppendRequest } from './batch-message.js'
import { BatchStream, type Awaiting, type BatchCall } from './batch-stream.js'
import { TimedOut } from '../client/with-timeout.js'

/**
 * A call keeps the user that it was opened for, also when the password was changed or the user was
 * disabled. So a new call replaces it after this time, in milliseconds.
 */
const maxCallMs = 300_000

interface Pending extends Awaiting {
  /** Undefined while it is queued. */
  stream: BatchStream | undefined
  readonly fail: (error: Error) => void
}

/**
 * Opens a call, or rejects with the reason why there is none. With `checkLeaderFirst`, because the last
 * call failed, it first makes sure that this server would take an append.
 */
export type OpenBatch = (checkLeaderFirst: boolean) => Promise<BatchCall>

/**
 * Many appends in flight on one call, each with its own deadline. What was handed to a call
 * that breaks is unknown; what was not is certainly not stored, and goes to the next call or is
 * refused. A call is opened by the first append that needs one.
 */
export class BatchAppender {
  /** Not handed to any call yet. */
  private readonly queue = new Set<Pending>()
  private readonly streams = new Set<BatchStream>()
  private readonly nextId = correlationIds()
  private readonly deadlines = new Deadlines()
  private current: { readonly stream: BatchStream; readonly retiresAt: number } | undefined
  private opening = false
  private closed = false

  /** `checkLeaderFirst`: the last call, or the last attempt at one, failed. */
  constructor(
    private readonly open: OpenBatch,
    private checkLeaderFirst: boolean,
  ) {}

  /**
   * The store's answer, within `milliseconds`. Rejects with `NotSent`, and with `TimedOut` when the append
   * was sent and has no answer.
   */
  append(request: AppendRequest, milliseconds: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const id = this.nextId()
      const deadline = this.deadlines.add(milliseconds, () => {
        this.expire(pending)
      })
      const drop = () => {
        this.deadlines.drop(deadline)
      }
      const pending: Pending = {
        id,
        message: batchMessage(id, request),
        stream: undefined,
        settle: (answer) => {
          drop()
          resolve(answer)
        },
        fail: (error) => {
          drop()
          reject(error)
        },
      }
      this.queue.add(pending)
      this.send()
    })
  }

  /** To be called when no append is under way any more. */
  close(): void {
    this.closed = true
    this.current = undefined
    for (const stream of this.streams) stream.retire()
  }

  private send(): void {
    this.leaveOld()
    if (this.current === undefined) {
      if (this.queue.size > 0 && !this.opening) void this.reopen()
      return
    }
    const { stream } = this.current
    for (const pending of this.queue) {
      if (stream.isFull) return
      this.queue.delete(pending)
      pending.stream = stream
      stream.send(pending)
    }
  }

  private leaveOld(): void {
    if (this.current === undefined || performance.now() < this.current.retiresAt) return
    const { stream } = this.current
    this.current = undefined
    stream.retire()
  }

  private async reopen(): Promise<void> {
    this.opening = true
    // When a connection breaks, the client handles that before the next tick of the event loop.
    await immediate()
    try {
      const batch = await this.open(this.checkLeaderFirst)
      this.opening = false
      this.checkLeaderFirst = false
      this.use(batch)
    } catch (error) {
      this.opening = false
      this.checkLeaderFirst = true
      this.withdraw(error)
    }
  }

  private use(batch: BatchCall): void {
    const stream = new BatchStream(batch, {
      drained: () => {
        this.send()
      },
      retired: () => {
        this.checkLeaderFirst = true
        this.leave(stream)
      },
      ended: (error) => {
        this.streams.delete(stream)
        this.leave(stream)
        this.checkLeaderFirst ||= error !== undefined
        // A server that breaks every call before its first answer would be called for ever.
        if (error !== undefined && !stream.isProven) this.withdraw(error)
        this.send()
      },
    })
    this.streams.add(stream)
    if (this.closed) stream.retire()
    else this.current = { stream, retiresAt: performance.now() + maxCallMs }
    this.send()
  }

  private leave(stream: BatchStream): void {
    if (this.current?.stream === stream) this.current = undefined
  }

  private withdraw(cause: unknown): void {
    const error = new NotSent(reasonOf(cause), { cause })
    const withdrawn = [...this.queue]
    this.queue.clear()
    for (const { fail } of withdrawn) fail(error)
  }

  private expire(pending: Pending): void {
    const { stream, fail } = pending
    const late = new TimedOut('no answer in time')
    if (stream === undefined) {
      this.queue.delete(pending)
      fail(new NotSent('it could not be sent in time', { cause: late }))
      return
    }
    stream.forget(pending)
    fail(late)
  }
}
