import type { Histogram } from 'prom-client'
import type { Series } from './series.js'

/**
 * Histogram buckets for the number of facts in one commit. The last bucket is the maximum number of
 * facts that the writer commits together.
 */
const factsOfCommit = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

/** Metrics of commits and WAL checkpoints, for a store that performs them itself, such as SQLite. */
export class CommitMetrics {
  private readonly facts: Histogram
  private readonly seconds: Histogram
  private readonly checkpointSeconds: Histogram
  private logBytes = 0
  private failedCheckpoints = 0

  constructor(series: Series) {
    this.facts = series.histogram(
      'dossier_commit_facts',
      'Facts in one commit. Commits without facts are not counted.',
      [],
      factsOfCommit,
    )
    this.seconds = series.histogram(
      'dossier_commit_duration_seconds',
      'Duration of a group of appends with its flush, whatever its outcome.',
    )
    this.checkpointSeconds = series.histogram(
      'dossier_checkpoint_duration_seconds',
      'Duration of a WAL checkpoint, which runs beside the writer.',
    )
    series.counter(
      'dossier_checkpoint_failures_total',
      'WAL checkpoints that failed. The WAL grows until one succeeds.',
      () => this.failedCheckpoints,
    )
    series.gauge(
      'dossier_checkpoint_log_bytes',
      'Length of the WAL at the latest successful checkpoint.',
      () => this.logBytes,
    )
  }

  /**
   * Counts a group of appends that the writer committed together. Counts a group that stored
   * nothing, too, because it shows that the writer works.
   */
  tried(facts: number, seconds: number): void {
    if (facts > 0) this.facts.observe(facts)
    this.seconds.observe(seconds)
  }

  checkpointed(logBytes: number, seconds: number): void {
    this.logBytes = logBytes
    this.checkpointSeconds.observe(seconds)
  }

  /**
   * Counts failed WAL checkpoints. The metric of the WAL's length keeps its value until a WAL
   * checkpoint succeeds.
   */
  checkpointsFailed(times: number): void {
    this.failedCheckpoints += times
  }
}
