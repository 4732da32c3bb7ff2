import { CopyRefused } from '../../../application/migration/ports/fact-copy.js'
import { batchMessage, correlationIds, type AppendRequest } from '../append/batch-message.js'
import { BatchStream, type Awaiting, type BatchCall } from '../append/batch-stream.js'
import { ServerTooOld, type Answer } from '../client/answer.js'
import { StoreClient } from '../client/store-client.js'
import { withTimeout } from '../client/with-timeout.js'
import type { PagesOptions } from '../log/subscribed-pages.js'

export type StoredAnswer = Extract<Answer, { kind: 'stored' }>
export type Failure = Exclude<Answer, StoredAnswer>

/** The outcome of one call of `send`. */
export interface Sent {
  /** The answers to the appends before the first failure, in order of sending. */
  readonly stored: readonly StoredAnswer[]
  /**
   * The first failure. Undefined when all appends are stored. Appends that were sent after the
   * failed append may be stored, too.
   */
  readonly failure: Failure | undefined
}

/**
 * Keeps many appends in flight on one call. The server processes the appends in the order of
 * sending. After a failure, the pipeline sends nothing more and must not be reused. Its unanswered
 * appends may still be stored, even after appends of a new pipeline.
 */
export class AppendPipeline {
  private readonly nextId = correlationIds()
  private readonly stream: BatchStream
  private readonly inFlight = new Set<Awaiting>()
  private failed = false
  private step: () => void = () => undefined
  private timer: NodeJS.Timeout | undefined

  private constructor(
    private readonly client: StoreClient,
    call: BatchCall,
    private readonly timeoutMs: number,
  ) {
    const stop = () => {
      this.failed = true
      this.step()
    }
    const drained = () => {
      this.step()
    }
    this.stream = new BatchStream(call, { drained, retired: stop, ended: stop })
  }

  /** Opens a pipeline. Throws errors of the client, and `CopyRefused` when the server lacks `BatchAppend`. */
  static async open({ url, timeoutMs }: PagesOptions): Promise<AppendPipeline> {
    const client = new StoreClient(url)
    try {
      const call = await withTimeout(timeoutMs, client.batchCall(url.credentials, true))
      return new AppendPipeline(client, call, timeoutMs)
    } catch (error) {
      void client.close()
      throw error instanceof ServerTooOld ? new CopyRefused(error.message) : error
    }
  }

  /**
   * Sends the appends, and resolves when no append is in flight. Do not call it again before it has
   * resolved.
   */
  async send(requests: readonly AppendRequest[]): Promise<Sent> {
    const answers = new Map<number, Answer>()
    this.timer = setTimeout(() => {
      this.giveUp()
    }, this.timeoutMs)
    await new Promise<void>((resolve) => {
      let next = 0
      this.step = () => {
        while (!this.failed && !this.stream.isFull) {
          const request = requests[next]
          if (request === undefined) break
          this.sendOne(request, next, answers)
          next += 1
        }
        if (this.inFlight.size === 0 && (this.failed || next === requests.length)) resolve()
      }
      this.step()
    })
    clearTimeout(this.timer)
    return sentOf(requests.length, answers)
  }

  async close(): Promise<void> {
    this.stream.retire()
    await this.client.close()
  }

  private sendOne(request: AppendRequest, index: number, answers: Map<number, Answer>): void {
    const id = this.nextId()
    const awaiting: Awaiting = {
      id,
      message: batchMessage(id, request),
      settle: (answer) => {
        this.inFlight.delete(awaiting)
        answers.set(index, answer)
        if (answer.kind !== 'stored') this.failed = true
        this.timer?.refresh()
        this.step()
      },
    }
    this.inFlight.add(awaiting)
    this.stream.send(awaiting)
  }

  /** Gives up all appends in flight, because no answer arrived within the timeout. */
  private giveUp(): void {
    this.failed = true
    for (const awaiting of [...this.inFlight]) {
      this.stream.forget(awaiting)
      awaiting.settle({ kind: 'unknown', reason: 'no answer in time' })
    }
    this.step()
  }
}

function sentOf(count: number, answers: ReadonlyMap<number, Answer>): Sent {
  const stored: StoredAnswer[] = []
  while (stored.length < count) {
    const answer = answers.get(stored.length) ?? notSent
    if (answer.kind !== 'stored') return { stored, failure: answer }
    stored.push(answer)
  }
  return { stored, failure: undefined }
}

const notSent: Failure = { kind: 'refused', reason: 'the call ended before it was sent' }
