import { Worker } from 'node:worker_threads'
import type { Log } from '../../../../application/ports/log.js'
import { Refusal, RefusalAt } from '../../../../application/ports/refusal.js'
import type {
  QueryName,
  ReadModel,
  ReadStatus,
  Want,
  QueryOf,
  AnswerOf,
} from '../../../../application/reading/ports/read-model.js'
import { FirstOpening } from './first-opening.js'
import { readAnswer } from './answer-texts.js'
import type { FromReader, Refused, Request, Response, ToReader } from './protocol.js'
import { getHeapStatistics } from 'node:v8'
import { PendingRequests } from '../../pending-requests.js'
import { endOf, MessageBatch } from '../../threads.js'

/** The delay before a thread that ended unexpectedly is started again, in milliseconds. */
const restartMs = 1_000

/** How long a response may take if the caller sets no limit, in milliseconds. */
const defaultAnswerMs = 1_000

/** A thread that does not stop a cancelled read within this time counts as hanging, in milliseconds. */
const silentMs = 500

/** How long the start of the service waits for the read model to open, in milliseconds. */
const maxOpeningMs = 2_000

interface ReadThreadOptions {
  readonly start: () => Worker
  readonly log: Log
  readonly openingMs?: number
}

const notOpenYet: ReadStatus = {
  applied: { position: 0, id: '' },
  reached: 0,
  newest: 0,
  isBuilding: true,
  fullProfiles: [],
  logTime: 0,
  builds: 0,
  segments: undefined,
  trouble: undefined,
}

/**
 * Runs the read model in a separate thread, so that a wait there (even for a hanging disk) blocks nothing
 * else. Requests of one tick share a message. A thread that ends unexpectedly is started again.
 */
export class ReadThread implements ReadModel {
  status = notOpenYet
  private worker: Worker
  private readonly opening: FirstOpening
  private buildsBefore = 0
  private isOpen = false
  private readonly pending = new PendingRequests<Response | Refused>((id) => {
    this.requests.sendNow()
    this.send({ kind: 'cancelled', id })
  })
  private readonly listeners = new Set<() => void>()
  private readonly requests = new MessageBatch<Request>((requests) => {
    this.send({ kind: 'requests', requests: JSON.stringify(requests) })
  })
  private closing = false
  private ended: Promise<void>
  private restart: NodeJS.Timeout | undefined

  private constructor(private readonly options: ReadThreadOptions) {
    this.opening = new FirstOpening(options.openingMs ?? maxOpeningMs, () => {
      const trouble = 'it has not opened in time'
      options.log.warn({ reason: trouble }, 'reads are refused until the read model has opened')
      this.setStatus({ ...this.status, trouble })
    })
    this.worker = options.start()
    this.ended = this.attend(this.worker)
  }

  /**
   * Throws `StoreNotOpened` when the read model cannot be used. A slow read model is waited for only until
   * the time limit. It serves reads once it has opened, and later failures to open are logged.
   */
  static async open(options: ReadThreadOptions): Promise<ReadThread> {
    const thread = new ReadThread(options)
    await thread.opening.done
    return thread
  }

  query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    if (this.closing || !this.isOpen) return Promise.reject(this.behind())
    const { position, waitMs, answerMs = defaultAnswerMs, caller, cancellation } = want
    const wait = {
      timeoutMs: waitMs + answerMs,
      // A read without a caller is this process's own, such as a read for an append. It must end at its
      // time-out.
      graceMs: caller === undefined ? 0 : silentMs,
      cancellation,
      noResponse: this.behind,
    }
    return this.pending.add(
      wait,
      (id) => {
        this.requests.add({ id, name, query, want: { position, waitMs } })
      },
      (response) => answerIn(name, response),
    )
  }

  private readonly behind = () => new RefusalAt('read_model_behind', this.status.applied.position)

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.closing = true
    clearTimeout(this.restart)
    this.send({ kind: 'close' })
    await this.ended
  }

  /** Does nothing when the thread has ended. */
  private send(message: ToReader): void {
    this.worker.postMessage(message)
  }

  private attend(worker: Worker): Promise<void> {
    worker.on('message', (message: FromReader) => {
      this.receive(message)
    })
    return endOf(worker).then((reason = 'it does not say why') => {
      this.lost(reason)
    })
  }

  private receive(message: FromReader): void {
    switch (message.kind) {
      case 'responses':
        for (const response of message.responses) {
          this.pending.respond('code' in response ? response.id : response[0], response)
        }
        return
      case 'opening':
        this.opening.begun()
        return
      case 'opened':
        this.isOpen = true
        this.receiveStatus(message.status)
        this.opening.opened()
        return
      case 'status':
        this.receiveStatus(message.status)
        return
      case 'log':
        this.options.log[message.level](message.details, message.message)
        return
      case 'not_opened':
        if (this.opening.refused(message.reason)) return
        this.options.log.error({ reason: message.reason }, 'the read model cannot be opened')
    }
  }

  /** Each thread counts its rebuilds from 0, so the rebuilds of earlier threads are added. */
  private receiveStatus(status: ReadStatus): void {
    this.setStatus({ ...status, builds: this.buildsBefore + status.builds })
  }

  private setStatus(status: ReadStatus): void {
    this.status = status
    for (const listener of this.listeners) listener()
  }

  private lost(reason: string): void {
    this.pending.endAll(reason)
    this.isOpen = false
    this.buildsBefore = this.status.builds
    if (this.closing || this.opening.ended(reason)) return
    this.options.log.error({ reason }, 'the thread of the read model ended; it is started again')
    this.setStatus({ ...this.status, isBuilding: true, trouble: reason })
    this.restart = setTimeout(() => {
      this.restart = undefined
      this.worker = this.options.start()
      this.ended = this.attend(this.worker)
    }, restartMs)
  }
}

/** Returns the answer in a response. Throws the error of a refused request. */
function answerIn<N extends QueryName>(name: N, response: Response | Refused): AnswerOf<N> {
  if ('code' in response) throw errorOf(response)
  const [, position, logTime, text] = response
  return { value: text === undefined ? undefined : readAnswer(name, text), position, logTime }
}

function errorOf({ code, position }: Refused): Error {
  if (code === undefined) return new Error('the read model made a mistake')
  return position === undefined ? new Refusal(code) : new RefusalAt(code, position)
}

const maxHeapMebibytes = 1_024

/**
 * Size of the space for young objects, three times the default. Entity states wait in memory for a commit,
 * and each collection of a smaller space would copy them. This saves a sixth of the cost per fact with a
 * hundred segments.
 */
const youngMebibytes = 144

export function startReader(module: URL, workerData: unknown): Worker {
  return new Worker(module, { workerData, resourceLimits: heapOfReader() })
}

/**
 * Limits the heap of the thread to the default of a process, or to what the machine allows. A thread that
 * exceeds its heap ends without ending the process.
 */
function heapOfReader() {
  const mebibytes = getHeapStatistics().heap_size_limit / 1_048_576
  return {
    maxOldGenerationSizeMb: Math.min(mebibytes, maxHeapMebibytes),
    maxYoungGenerationSizeMb: youngMebibytes,
  }
}
