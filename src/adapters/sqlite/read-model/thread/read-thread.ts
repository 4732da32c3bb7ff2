import { Worker } from 'node:worker_threads'
import type { Log } from '../../../../application/ports/log.js'
import { Refusal, RefusalAt } from '../../../../application/ports/refusal.js'
import type {
  Queries,
  QueryName,
  ReadModel,
  ReadStatus,
  Want,
  QueryOf,
  AnswerOf,
} from '../../../../application/reading/ports/read-model.js'
import { FirstOpening } from './first-opening.js'
import { readAnswer } from './answer-texts.js'
import { KeptAnswers } from './kept-answers.js'
import type { FromReader, Refused, Request, Response, ToReader } from './protocol.js'
import { getHeapStatistics } from 'node:v8'
import { PendingRequests } from '../../pending-requests.js'
import { endOf, MessageBatch } from '../../threads.js'

/** The delay before a thread that ended unexpectedly is restarted, in milliseconds. */
const restartMs = 1_000

/** The time limit for a response if the caller sets none, in milliseconds. */
const defaultAnswerMs = 1_000

/**
 * The time within which the thread must stop a cancelled query, in milliseconds. After that time the thread
 * counts as hanging.
 */
const silentMs = 500

/** The time after the latest message of the thread for which kept answers are used, in milliseconds. */
const maxQuietMs = 1_000

/** The longest time that a starting service waits for the read model to open, in milliseconds. */
const maxOpeningMs = 2_000

/** The kept answers of the queries whose answers may be kept. */
type KeptByQuery = {
  readonly [Name in QueryName]?: KeptAnswers<QueryOf<Name>, Queries[Name]['answer']>
}

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
  trouble: undefined,
}

/**
 * Runs the read model in a separate thread, so that a hanging disk blocks only queries. All requests within one
 * tick of the event loop are sent in few messages. A thread that ends unexpectedly is restarted.
 */
export class ReadThread implements ReadModel {
  status = notOpenYet
  private worker: Worker
  private readonly opening: FirstOpening
  private buildsBefore = 0
  private isOpen = false
  /** The time of the latest message of the thread, by `performance.now`. */
  private heardAt = 0
  private readonly pending = new PendingRequests<Response | Refused>((id) => {
    this.requests.sendNow()
    this.send({ kind: 'cancelled', id })
  })
  private readonly listeners = new Set<() => void>()
  private readonly profiles = new KeptAnswers<QueryOf<'profile'>, Queries['profile']['answer']>(
    ({ externalId }) => externalId,
  )
  private readonly kept: KeptByQuery = { profile: this.profiles }
  /**
   * Callers that get their replies together send their next requests together. This nearly doubles the reads per
   * second (ADR 45).
   */
  private readonly answers = new MessageBatch<() => void>((answers) => {
    for (const answer of answers) answer()
  })
  private readonly requests = new MessageBatch<Request>((requests) => {
    this.send({ kind: 'requests', requests: JSON.stringify(requests) })
  })
  private closing = false
  private ended: Promise<void>
  private restart: NodeJS.Timeout | undefined

  private constructor(private readonly options: ReadThreadOptions) {
    this.opening = new FirstOpening(options.openingMs ?? maxOpeningMs, () => {
      const trouble = 'the read model has not opened in time'
      options.log.warn({ reason: trouble }, 'reads are refused until the read model has opened')
      this.setStatus({ ...this.status, trouble })
    })
    this.worker = options.start()
    this.ended = this.attend(this.worker)
  }

  /**
   * Starts the thread and waits until the read model is open, or until a time limit has passed. If the read
   * model opens after the time limit, it serves queries from then on. If opening fails after the time limit,
   * the error is logged. Throws `StoreNotOpened` when opening fails within the time limit.
   */
  static async open(options: ReadThreadOptions): Promise<ReadThread> {
    const thread = new ReadThread(options)
    await thread.opening.done
    return thread
  }

  query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    if (this.closing || !this.isOpen) return Promise.reject(this.behind())
    const kept = this.keptAnswer(name, query, want)
    if (kept !== undefined) return this.together(kept)
    const { position, waitMs, answerMs = defaultAnswerMs, caller, cancellation } = want
    const wait = {
      timeoutMs: waitMs + answerMs,
      // A query without a `caller` comes from this process itself, for example for an append. Such a query must
      // end at its time-out, so it has no grace time.
      graceMs: caller === undefined ? 0 : silentMs,
      cancellation,
      noResponse: this.behind,
    }
    return this.pending.add(
      wait,
      (id) => {
        this.requests.add({ id, name, query, want: { position, waitMs } })
      },
      (response) => this.answerIn(name, query, response),
    )
  }

  /**
   * Returns the kept answer. Returns undefined if the query wants a position that the thread has not reached, or if the
   * thread has sent no message for a while. The thread may then hang, and kept answers would become older and older.
   */
  private keptAnswer<N extends QueryName>(
    name: N,
    query: QueryOf<N>,
    { position = 0 }: Want,
  ): AnswerOf<N> | undefined {
    const isQuiet = performance.now() - this.heardAt > maxQuietMs
    if (isQuiet || this.status.isBuilding || position === 'head') return undefined
    const answer = this.kept[name]?.get(query)
    return answer === undefined || answer.position < position ? undefined : answer
  }

  /** Returns the answer in a response, and keeps it if it may be kept. Throws the error in a refused response. */
  private answerIn<N extends QueryName>(
    name: N,
    query: QueryOf<N>,
    response: Response | Refused,
  ): AnswerOf<N> {
    if ('code' in response) throw errorOf(response)
    const [, position, logTime, text, mayKeep] = response
    const answer = {
      value: text === undefined ? undefined : readAnswer(name, text),
      position,
      logTime,
    }
    if (mayKeep) this.kept[name]?.keep(query, answer, text?.length ?? 0)
    return answer
  }

  /** Resolves the answers of one tick of the event loop together. */
  private together<T>(answer: T): Promise<T> {
    return new Promise((resolve) => {
      this.answers.add(() => {
        resolve(answer)
      })
    })
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

  /** Sends a message to the thread. Does nothing when the thread has ended. */
  private send(message: ToReader): void {
    this.worker.postMessage(message)
  }

  private attend(worker: Worker): Promise<void> {
    worker.on('message', (message: FromReader) => {
      this.receive(message)
    })
    return endOf(worker).then((reason = 'no reason was given') => {
      this.lost(reason)
    })
  }

  private receive(message: FromReader): void {
    this.heardAt = performance.now()
    if (message.kind === 'responses') this.receiveResponses(message.responses)
    // Drops changed answers after the responses, because the answer in a response may have changed since.
    if (message.changed !== undefined) this.profiles.changed(message.changed)
    switch (message.kind) {
      case 'responses':
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

  private receiveResponses(responses: readonly (Response | Refused)[]): void {
    for (const response of responses) {
      if ('code' in response) {
        this.pending.respond(response.id, response)
      } else {
        const [id, position, logTime] = response
        this.profiles.reached(position, logTime)
        this.pending.respond(id, response)
      }
    }
  }

  /** Adds the rebuilds of earlier threads, because each thread counts its rebuilds from 0. */
  private receiveStatus(status: ReadStatus): void {
    this.profiles.reached(status.applied.position, status.logTime)
    this.setStatus({ ...status, builds: this.buildsBefore + status.builds })
  }

  private setStatus(status: ReadStatus): void {
    this.status = status
    for (const listener of this.listeners) listener()
  }

  private lost(reason: string): void {
    this.pending.endAll(reason)
    this.profiles.dropAll()
    this.isOpen = false
    this.buildsBefore = this.status.builds
    if (this.closing || this.opening.ended(reason)) return
    this.options.log.error({ reason }, 'the thread of the read model ended and is restarted')
    this.setStatus({ ...this.status, isBuilding: true, trouble: reason })
    this.restart = setTimeout(() => {
      this.restart = undefined
      this.worker = this.options.start()
      this.ended = this.attend(this.worker)
    }, restartMs)
  }
}

function errorOf({ code, position }: Refused): Error {
  if (code === undefined) return new Error('the query failed in the read model')
  return position === undefined ? new Refusal(code) : new RefusalAt(code, position)
}

const maxHeapMebibytes = 1_024

/**
 * The heap size for young objects, in MiB: three times the default. Entity states stay in memory until a
 * commit, and a smaller heap would copy them in each garbage collection. With a hundred segments, the larger
 * heap saves a sixth of the cost per fact.
 */
const youngMebibytes = 144

export function startReader(module: URL, workerData: unknown): Worker {
  return new Worker(module, { workerData, resourceLimits: heapOfReader() })
}

/**
 * Returns limits for the heap of the thread: the default limits of a process, or less if the machine has less
 * memory. A thread that exceeds its heap ends without ending the process.
 */
function heapOfReader() {
  const mebibytes = getHeapStatistics().heap_size_limit / 1_048_576
  return {
    maxOldGenerationSizeMb: Math.min(mebibytes, maxHeapMebibytes),
    maxYoungGenerationSizeMb: youngMebibytes,
  }
}
