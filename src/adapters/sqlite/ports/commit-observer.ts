/** The measurements of one group of appends. The writer sends them together with the outcomes. */
export interface CommitMeasurements {
  /** The number of facts that the group stored. 0 when all appends were refused or the commit failed. */
  readonly facts: number
  /** The time from the group's first statement to the end of its flush, or to its failure, in seconds. */
  readonly seconds: number
  /** The latest WAL checkpoint, if one ended since the previous group. */
  readonly checkpoint: CheckpointMeasurements | undefined
  readonly failedCheckpoints: number
}

export interface CheckpointMeasurements {
  readonly logBytes: number
  readonly seconds: number
}

/**
 * Receives the measurements of each group of appends and each WAL checkpoint. Each method must return without
 * waiting.
 */
export interface CommitObserver {
  /**
   * Called after each group of appends, also after a failure. `facts` is the number of facts that became durable: 0
   * when all appends were refused or idempotent, or when the commit failed.
   */
  tried(facts: number, seconds: number): void
  checkpointed(logBytes: number, seconds: number): void
  /** Called when `times` WAL checkpoints failed. The WAL then continues to grow. */
  checkpointsFailed(times: number): void
}

export function reportCommit(observer: CommitObserver, measured: CommitMeasurements): void {
  const { facts, seconds, checkpoint, failedCheckpoints } = measured
  observer.tried(facts, seconds)
  if (checkpoint !== undefined) observer.checkpointed(checkpoint.logBytes, checkpoint.seconds)
  if (failedCheckpoints > 0) observer.checkpointsFailed(failedCheckpoints)
}
