import { setImmediate as immediate } from 'node:timers/promises'
import { Deadlines } from '../../../application/deadlines.js'
import { NotSent, reasonOf, type Answer } from '../client/answer.js'
import { batchMessage, correlationIds, type AppendRequest } from './batch-message.js'
import { BatchStream, type Awaiting, type BatchCall } from './batch-stream.js'
import { TimedOut } from '../client/with-timeout.js'

/**
 * The age in milliseconds at which a new gRPC call replaces the current call. The server checks the
 * user only when a call opens, so only a new call notices a changed password or a disabled user.
 */
const maxCallMs = 300_000

interface Pending extends Awaiting {
  /** The call that carries the append. Undefined while the append is queued. */
  stream: BatchStream | undefined
  readonly fail: (error: Error) => void
}

/**
 * Opens a call. Rejects with the reason when no call can be opened. With `checkLeaderFirst`, first
 * reads from the server to make sure that the server is the leader.
 */
export type OpenBatch = (checkLeaderFirst: boolean) => Promise<BatchCall>

/**
 * Keeps many appends in flight on one gRPC call, each with its own deadline. The first append that needs a call opens
 * it. When a call breaks, the outcome of its sent appends is unknown. Queued appends are not stored yet: the next call
 * sends them, or the appender refuses them.
 */
export class BatchAppender {
  /** Appends that were not sent on any call yet. */
  private readonly queue = new Set<Pending>()
  private readonly streams = new Set<BatchStream>()
  private readonly nextId = correlationIds()
  private readonly deadlines = new Deadlines()
  private current: { readonly stream: BatchStream; readonly retiresAt: number } | undefined
  private opening = false
  private closed = false

  /**
   * `checkLeaderFirst`: whether to check the leader before the first call of this appender, because
   * a call of an earlier appender failed.
   */
  constructor(
    private readonly open: OpenBatch,
    private checkLeaderFirst: boolean,
  ) {}

  /**
   * Sends an append and returns the store's answer. Rejects after `milliseconds`: with `NotSent` when the append
   * was not sent, and with `TimedOut` when it was sent and got no answer.
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

  /** Closes all calls. Call this method only after all appends have ended. */
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
    // Waits one tick of the event loop. By then, the client has handled the broken connection.
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
        // Refuses the queued appends when the call broke before its first answer. Otherwise the
        // appender would retry forever with a server that breaks every call.
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
