import type { Histogram } from 'prom-client'
import type { Series } from './series.js'

/** Facts in one commit; the last bound is the most that are written together. */
const factsOfCommit = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

/** Commits and checkpoints of a store that makes them itself, as SQLite does. */
export class CommitMetrics {
  private readonly facts: Histogram
  private readonly seconds: Histogram
  private readonly checkpointSeconds: Histogram
  private logBytes = 0
  private failedCheckpoints = 0

  constructor(series: Series) {
    this.facts = series.histogram(
      'dossier_commit_facts',
      'Facts that became durable in one commit, of those that stored any.',
      [],
      factsOfCommit,
    )
    this.seconds = series.histogram(
      'dossier_commit_duration_seconds',
      'How long the writer took for a group of appends, its flush included, however it ended.',
    )
    this.checkpointSeconds = series.histogram(
      'dossier_checkpoint_duration_seconds',
      'How long it took to copy the log into the file, beside the writer.',
    )
    series.counter(
      'dossier_checkpoint_failures_total',
      'Checkpoints that failed: the log grows until one is made.',
      () => this.failedCheckpoints,
    )
    series.gauge(
      'dossier_checkpoint_log_bytes',
      'How long the log was at the latest checkpoint that did not fail.',
      () => this.logBytes,
    )
  }

  /** A group that stored nothing counts too: it shows that the writer works. */
  tried(facts: number, seconds: number): void {
    if (facts > 0) this.facts.observe(facts)
    this.seconds.observe(seconds)
  }

  checkpointed(logBytes: number, seconds: number): void {
    this.logBytes = logBytes
    this.checkpointSeconds.observe(seconds)
  }

  /** `times` checkpoints failed. The gauge of the log's length keeps the value of the last that did not. */
  checkpointsFailed(times: number): void {
    this.failedCheckpoints += times
  }
}
