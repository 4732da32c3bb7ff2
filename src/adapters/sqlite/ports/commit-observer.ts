/** What the writer tells of its work, with the outcomes that it sends anyway. */
export interface CommitFigures {
  /** Facts that this group stored; none when it had none to store, or when its commit failed. */
  readonly facts: number
  /** How long it took from its first statement to its flush, or until it failed. */
  readonly seconds: number
  /** The latest checkpoint, when one ended since the last group. */
  readonly checkpoint: CheckpointFigures | undefined
  /** Checkpoints that failed since the last group. */
  readonly failedCheckpoints: number
}

export interface CheckpointFigures {
  /** How long the log was, in bytes. */
  readonly logBytes: number
  readonly seconds: number
}

/** Hears of what the writer tried, and of checkpoints; takes no time of its own. */
export interface CommitObserver {
  /**
   * The writer is done with a group of appends after so many seconds, however it ended. So many facts
   * became durable together: 0 when all were refused or replayed, and when the commit failed.
   */
  tried(facts: number, seconds: number): void
  checkpointed(logBytes: number, seconds: number): void
  /** So many checkpoints failed: the log grows, and nobody says how long it is. */
  checkpointsFailed(times: number): void
}

/** Passes on what the writer told. */
export function tellCommit(observer: CommitObserver, figures: CommitFigures): void {
  const { facts, seconds, checkpoint, failedCheckpoints } = figures
  observer.tried(facts, seconds)
  if (checkpoint !== undefined) observer.checkpointed(checkpoint.logBytes, checkpoint.seconds)
  if (failedCheckpoints > 0) observer.checkpointsFailed(failedCheckpoints)
}
