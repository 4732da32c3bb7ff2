/** What the writer measured for a group of appends; sent along with the outcomes. */
export interface CommitMeasurements {
  /** Facts that this group stored; none when it had none to store, or when its commit failed. */
  readonly facts: number
  /** How long it took from its first statement to its flush, or until it failed. */
  readonly seconds: number
  /** The latest checkpoint, when one ended since the last group. */
  readonly checkpoint: CheckpointMeasurements | undefined
  readonly failedCheckpoints: number
}

export interface CheckpointMeasurements {
  readonly logBytes: number
  readonly seconds: number
}

/** Called for every group of appends and every checkpoint. Its methods return at once. */
export interface CommitObserver {
  /**
   * The writer finished a group of appends in `seconds`, whatever the outcome, and `facts` became durable
   * with it: 0 when all were refused or replayed, and when the commit failed.
   */
  tried(facts: number, seconds: number): void
  checkpointed(logBytes: number, seconds: number): void
  /** `times` checkpoints failed: the log goes on growing. */
  checkpointsFailed(times: number): void
}

export function reportCommit(observer: CommitObserver, measured: CommitMeasurements): void {
  const { facts, seconds, checkpoint, failedCheckpoints } = measured
  observer.tried(facts, seconds)
  if (checkpoint !== undefined) observer.checkpointed(checkpoint.logBytes, checkpoint.seconds)
  if (failedCheckpoints > 0) observer.checkpointsFailed(failedCheckpoints)
}
