import type { Worker } from 'node:worker_threads'
import type { Log } from '../../application/ports/log.js'
import { StoreNotOpened } from '../../application/ports/store-errors.js'
import { ReadModelBehind } from '../../application/reading/errors.js'
import type {
  Answer,
  Queries,
  QueryName,
  ReadModel,
  ReadStatus,
  Want,
} from '../../application/reading/ports/read-model.js'
import { PendingQuestions } from './pending-questions.js'
import type { Asked, FromReader, ToReader } from './protocol.js'

/** How long after a thread that ended by itself the next one starts, in milliseconds. */
const restartMs = 1_000

export interface ReadThreadOptions {
  /** Starts the thread, which runs `serveReads`. */
  readonly start: () => Worker
  readonly log: Log
}

/**
 * The read model in a thread of its own: what it waits for, a disk that hangs too, holds up nothing
 * else. Questions of one turn go together. A thread that ends by itself is started anew.
 */
export class ReadThread implements ReadModel {
  status: ReadStatus
  private readonly pending = new PendingQuestions()
  private readonly listeners = new Set<() => void>()
  private outbox: Asked[] = []
  private turnIsOpen = false
  private closing = false
  private ended: Promise<void>
  private restart: NodeJS.Timeout | undefined

  private constructor(
    private worker: Worker,
    status: ReadStatus,
    private readonly options: ReadThreadOptions,
  ) {
    this.status = status
    this.ended = this.attend(worker)
  }

  /** Throws `StoreNotOpened` when the read model cannot be used. */
  static async open(options: ReadThreadOptions): Promise<ReadThread> {
    const worker = options.start()
    return new ReadThread(worker, await opened(worker), options)
  }

  ask<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['ask'],
    want: Want,
  ): Promise<Answer<Queries[Name]['answer']>> {
    if (this.closing || this.restart !== undefined) {
      return Promise.reject(new ReadModelBehind(this.status.applied.position))
    }
    if (!this.turnIsOpen) setImmediate(this.endTurn)
    this.turnIsOpen = true
    return this.pending.add(
      name,
      want,
      () => this.status.applied.position,
      (id) => {
        this.outbox.push({ id, name, query, want })
      },
    )
  }

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

  private readonly endTurn = (): void => {
    this.turnIsOpen = false
    const asked = this.outbox
    this.outbox = []
    this.send({ kind: 'asked', asked })
  }

  /** To a thread that has ended it does nothing. */
  private send(message: ToReader): void {
    this.worker.postMessage(message)
  }

  private attend(worker: Worker): Promise<void> {
    let reason = 'it does not say why'
    worker.on('message', (message: FromReader) => {
      this.receive(message)
    })
    worker.on('error', (error) => {
      reason = error.message
    })
    return new Promise((resolve) => {
      worker.once('exit', () => {
        this.lost(reason)
        resolve()
      })
    })
  }

  private receive(message: FromReader): void {
    switch (message.kind) {
      case 'outcomes':
        this.pending.settle(message.outcomes)
        return
      case 'opened':
      case 'status':
        this.tell(message.status)
        return
      case 'log':
        this.options.log[message.level](message.details, message.message)
        return
      case 'not_opened':
        this.options.log.error({ reason: message.reason }, 'the read model did not start again')
    }
  }

  private tell(status: ReadStatus): void {
    this.status = status
    for (const listener of this.listeners) listener()
  }

  private lost(reason: string): void {
    this.pending.giveUp()
    if (this.closing) return
    this.options.log.error({ reason }, 'the thread of the read model ended; it is started again')
    this.tell({ ...this.status, isBuilding: true, trouble: reason })
    this.restart = setTimeout(() => {
      this.restart = undefined
      this.worker = this.options.start()
      this.ended = this.attend(this.worker)
    }, restartMs)
  }
}

function opened(worker: Worker): Promise<ReadStatus> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      reject(new StoreNotOpened(reason))
    }
    const failed = (error: Error) => {
      fail(`the read model cannot be opened: ${error.message}`)
    }
    const ended = () => {
      fail(refusal ?? 'the thread of the read model ended at its start')
    }
    let refusal: string | undefined
    const hear = (message: FromReader) => {
      if (message.kind === 'not_opened') refusal = message.reason
      if (message.kind !== 'opened') return
      worker.off('message', hear).off('error', failed).off('exit', ended)
      resolve(message.status)
    }
    worker.on('message', hear).on('error', failed).on('exit', ended)
  })
}
