import { Worker } from 'node:worker_threads'
import type { CheckpointMeasurements, CommitMeasurements } from '../../ports/commit-observer.js'
import { reasonOf, type Database } from '../../file/driver.js'
import { checkpoint } from '../../file/open-connection.js'
import type { OpenFiles } from '../../file/open-files.js'
import type { CheckpointerData, FromCheckpointer, ToCheckpointer } from './protocol.js'
import { valueOf } from '../../file/schema.js'
import { endOf } from '../../threads.js'

interface CheckpointLimits {
  /** The approximate number of WAL pages between two WAL checkpoints. */
  readonly everyPages: number
  /**
   * The number of WAL pages at which the writer pauses and copies the remaining pages itself. SQLite then restarts
   * the WAL.
   */
  readonly maxLogPages: number
  /** The number of pages that the writer copies itself after a WAL checkpoint, so that the WAL restarts. */
  readonly fewPages: number
}

/**
 * By default, a WAL checkpoint is made after 16 MiB of WAL, and the WAL is limited to 64 MiB, at 4 KiB per
 * page.
 */
const defaultLimits: CheckpointLimits = { everyPages: 4_096, maxLogPages: 16_384, fewPages: 32 }

interface CheckpointThread {
  readonly worker: Worker
  readonly ended: Promise<void>
}

/** The size of the header before each page in the WAL, in bytes. */
const frameHeaderBytes = 24

/**
 * Keeps the WAL short while the writer works. A second thread makes the WAL checkpoints. SQLite restarts the WAL
 * only when all pages are copied, and a busy writer adds pages during each copy. When the WAL is long, the writer
 * therefore copies the last few pages itself.
 *
 * The checkpoint thread starts with the first WAL checkpoint. If the thread ends, the writer makes all WAL
 * checkpoints itself. Appends are then slower, but the WAL stays short.
 */
export class Checkpoints {
  private thread: CheckpointThread | undefined
  private hasThreadEnded = false
  private closing = false
  private written = 0
  private running = false
  private readonly pageBytes: number
  private latest: CheckpointMeasurements | undefined
  private failures = 0

  constructor(
    /** Returns the writer's current connection. */
    private readonly db: () => Database,
    private readonly files: OpenFiles,
    private readonly trouble: (reason: string) => void,
    private readonly limits = defaultLimits,
  ) {
    this.pageBytes = Number(valueOf(db(), 'PRAGMA page_size')) + frameHeaderBytes
  }

  /**
   * Counts the WAL pages that a commit wrote, and starts a WAL checkpoint when there are enough. Call this
   * after each commit.
   */
  committed(pages: number): void {
    this.written += pages
    if (this.running || this.written < this.limits.everyPages) return
    this.written = 0
    if (this.hasThreadEnded) {
      this.note(timedCheckpoint(this.db()))
      return
    }
    this.running = true
    this.thread ??= this.startThread()
    this.send({ kind: 'checkpoint' })
  }

  /** Returns the measurements since the previous call: the latest WAL checkpoint, and the number of failures. */
  takeMeasured(): Pick<CommitMeasurements, 'checkpoint' | 'failedCheckpoints'> {
    const measured = { checkpoint: this.latest, failedCheckpoints: this.failures }
    this.latest = undefined
    this.failures = 0
    return measured
  }

  /** Stops the checkpoint thread. Resolves when the thread has ended, or at once if the thread does not run. */
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
      this.continueWithoutThread(failure)
    })
    return { worker, ended }
  }

  /** Sends a message to the checkpoint thread. Does nothing when the thread has not started or has ended. */
  private send(message: ToCheckpointer): void {
    this.thread?.worker.postMessage(message)
  }

  /** Handles the end of the checkpoint thread. From now on, the writer makes all WAL checkpoints. */
  private continueWithoutThread(failure: string | undefined): void {
    this.hasThreadEnded = true
    if (this.running) this.failures += 1
    this.running = false
    if (this.closing && failure === undefined) return
    this.trouble(`the checkpoint thread ended: ${failure ?? 'no reason was given'}`)
  }

  private finished(message: FromCheckpointer): void {
    this.running = false
    this.note(message)
    // Skips the last pages while the store closes, because closing the store empties the WAL.
    if (this.closing || message.kind === 'failed') return
    const isIdle = this.written <= this.limits.fewPages
    if (message.logged < this.limits.maxLogPages && !isIdle) return
    const lastPages = timedCheckpoint(this.db())
    if (lastPages.kind === 'failed') this.note(lastPages)
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

/** Makes a WAL checkpoint and returns its measurements, or the reason why it failed. Never throws. */
export function timedCheckpoint(db: Database): FromCheckpointer {
  const begun = performance.now()
  try {
    const done = checkpoint(db)
    // SQLite reports a concurrent WAL checkpoint as -1 pages instead of an error.
    if (done.logged < 0) return { kind: 'failed', reason: 'another program is making a checkpoint' }
    return { kind: 'done', ...done, seconds: (performance.now() - begun) / 1_000 }
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
}
