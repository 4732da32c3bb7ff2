import { Worker } from 'node:worker_threads'
import type { CheckpointMeasurements, CommitMeasurements } from '../../ports/commit-observer.js'
import { reasonOf, type Database } from '../../file/driver.js'
import { checkpoint } from '../../file/open-connection.js'
import type { OpenFiles } from '../../file/open-files.js'
import type { CheckpointerData, FromCheckpointer, ToCheckpointer } from './protocol.js'
import { valueOf } from '../../file/schema.js'
import { endOf } from '../../threads.js'

interface CheckpointLimits {
  /** Pages that are written to the log between two checkpoints, about. */
  readonly everyPages: number
  /** Pages of log from which on the writer stops for the last of them, and the log starts anew. */
  readonly maxLogPages: number
}

/** 16 MiB and 64 MiB of log. */
const defaultLimits: CheckpointLimits = { everyPages: 4_096, maxLogPages: 16_384 }

interface CheckpointThread {
  readonly worker: Worker
  readonly ended: Promise<void>
}

/** Stands before each page in the log. */
const frameHeaderBytes = 24

/**
 * Keeps the write-ahead log short while the writer works. A checkpoint beside a busy writer never
 * reaches the end of the log, and SQLite starts the log anew only when all of it is copied; so when
 * the log has grown long, the writer itself copies the few pages that came meanwhile. The thread for
 * checkpoints begins with the first. Should it end, the writer makes them all: slower, and the log stays
 * short.
 */
export class Checkpoints {
  private thread: CheckpointThread | undefined
  private isAlone = false
  private closing = false
  private written = 0
  private running = false
  private readonly pageBytes: number
  private latest: CheckpointMeasurements | undefined
  private failures = 0

  constructor(
    /** The writer's own connection. */
    private readonly db: () => Database,
    private readonly files: OpenFiles,
    private readonly trouble: (reason: string) => void,
    private readonly limits = defaultLimits,
  ) {
    this.pageBytes = Number(valueOf(db(), 'PRAGMA page_size')) + frameHeaderBytes
  }

  /** To be called after each commit with the pages of log that it wrote. */
  committed(pages: number): void {
    this.written += pages
    if (this.running || this.written < this.limits.everyPages) return
    this.written = 0
    if (this.isAlone) {
      this.note(timedCheckpoint(this.db()))
      return
    }
    this.running = true
    this.thread ??= this.startThread()
    this.send({ kind: 'checkpoint' })
  }

  /** Of what there was since the last call: what the latest checkpoint took, and how many failed. */
  takeMeasured(): Pick<CommitMeasurements, 'checkpoint' | 'failedCheckpoints'> {
    const measured = { checkpoint: this.latest, failedCheckpoints: this.failures }
    this.latest = undefined
    this.failures = 0
    return measured
  }

  /** Resolves when the thread has ended, also when it did so before or never began. */
  async close(): Promise<void> {
    this.closing = true
    this.send({ kind: 'close' })
    await this.thread?.ended
  }

  private startThread(): CheckpointThread {
    const { path, identities } = this.files
    const workerData: CheckpointerData = { path, identities }
    const worker = new Worker(new URL('./checkpoint-thread.js', import.meta.url), { workerData })
    worker.on('message', (message: FromCheckpointer) => {
      this.finished(message)
    })
    const ended = endOf(worker).then((failure) => {
      this.goOnAlone(failure)
    })
    return { worker, ended }
  }

  /** To a thread that has ended it does nothing. */
  private send(message: ToCheckpointer): void {
    this.thread?.worker.postMessage(message)
  }

  /** The thread has ended; no checkpoint comes from it. */
  private goOnAlone(failure: string | undefined): void {
    this.isAlone = true
    if (this.running) this.failures += 1
    this.running = false
    if (this.closing && failure === undefined) return
    this.trouble(`the checkpoint thread ended: ${failure ?? 'it does not say why'}`)
  }

  private finished(message: FromCheckpointer): void {
    this.running = false
    this.note(message)
    // While closing, the log is emptied at the end anyway.
    if (this.closing || message.kind === 'failed') return
    if (message.logged < this.limits.maxLogPages) return
    const rest = timedCheckpoint(this.db())
    if (rest.kind === 'failed') this.note(rest)
  }

  private note(message: FromCheckpointer): void {
    if (message.kind === 'failed') {
      this.failures += 1
      this.trouble(`a checkpoint failed: ${message.reason}`)
      return
    }
    this.latest = { logBytes: message.logged * this.pageBytes, seconds: message.seconds }
  }
}

/** Makes a checkpoint, and says what it took or why it failed. Never throws. */
export function timedCheckpoint(db: Database): FromCheckpointer {
  const begun = performance.now()
  try {
    const done = checkpoint(db)
    // SQLite calls this no error, and says -1 pages.
    if (done.logged < 0) return { kind: 'failed', reason: 'another program is making one' }
    return { kind: 'done', ...done, seconds: (performance.now() - begun) / 1_000 }
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
}
