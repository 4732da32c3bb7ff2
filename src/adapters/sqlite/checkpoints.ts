import { Worker } from 'node:worker_threads'
import type Database from 'libsql'
import { checkpoint } from './checkpoint.js'
import type { CheckpointFigures } from './commit-observer.js'
import type { FromCheckpointer, ToCheckpointer } from './protocol.js'
import { reasonOf } from './reason-of.js'
import { valueOf } from './schema.js'

export interface CheckpointLimits {
  /** So many bytes of facts are written between two checkpoints. */
  readonly everyBytes: number
  /** From so many pages of log on, the writer stops for the last of them and the log starts anew. */
  readonly longestLogPages: number
}

/** 4 MiB of facts; 64 MiB of log. */
const usualLimits: CheckpointLimits = { everyBytes: 4 * 1024 * 1024, longestLogPages: 16_384 }

/** Stands before each page in the log. */
const frameHeaderBytes = 24

/**
 * Keeps the write-ahead log short while the writer works. A checkpoint beside a busy writer never
 * reaches the end of the log, and SQLite starts the log anew only when all of it is copied; so when
 * the log has grown long, the writer itself copies the few pages that came meanwhile.
 */
export class Checkpoints {
  private readonly worker: Worker
  private written = 0
  private running = false
  private readonly pageBytes: number
  private latest: CheckpointFigures | undefined

  constructor(
    private readonly db: Database.Database,
    path: string,
    private readonly trouble: (reason: string) => void,
    private readonly limits = usualLimits,
  ) {
    this.pageBytes = Number(valueOf(db, 'PRAGMA page_size')) + frameHeaderBytes
    this.worker = new Worker(new URL('./checkpoint-thread.js', import.meta.url), {
      workerData: { path },
    })
    this.worker.on('message', (message: FromCheckpointer) => {
      this.finished(message)
    })
    this.worker.on('error', (error) => {
      trouble(`the checkpoint thread ended: ${error.message}`)
    })
  }

  /** To be told after each commit how many bytes it wrote. */
  committed(bytes: number): void {
    this.written += bytes
    if (this.running || this.written < this.limits.everyBytes) return
    this.written = 0
    this.running = true
    this.send({ kind: 'checkpoint' })
  }

  /** What the latest checkpoint took; once. */
  takeLatest(): CheckpointFigures | undefined {
    const taken = this.latest
    this.latest = undefined
    return taken
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.worker.once('exit', resolve))
    this.send({ kind: 'close' })
    await ended
  }

  private send(message: ToCheckpointer): void {
    this.worker.postMessage(message)
  }

  private finished(message: FromCheckpointer): void {
    this.running = false
    if (message.kind === 'failed') {
      this.trouble(`a checkpoint failed: ${message.reason}`)
      return
    }
    this.latest = { logBytes: message.logged * this.pageBytes, seconds: message.seconds }
    if (message.logged < this.limits.longestLogPages) return
    try {
      checkpoint(this.db)
    } catch (error) {
      this.trouble(`a checkpoint failed: ${reasonOf(error)}`)
    }
  }
}
