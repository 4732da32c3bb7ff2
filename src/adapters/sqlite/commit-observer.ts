/** What the writer tells of its work, with the outcomes that it sends anyway. */
export interface CommitFigures {
  /** Facts that this commit stored; none when all of its appends were refused, or when it failed. */
  readonly facts: number
  /** How long it took from its first statement to its flush. */
  readonly seconds: number
  /** The latest checkpoint, when one ended since the last commit. */
  readonly checkpoint: CheckpointFigures | undefined
}

export interface CheckpointFigures {
  /** How long the log was, in bytes. */
  readonly logBytes: number
  readonly seconds: number
}

/** Hears of the commits that stored something, and of checkpoints; takes no time of its own. */
export interface CommitObserver {
  committed(facts: number, seconds: number): void
  checkpointed(logBytes: number, seconds: number): void
}

/** Passes on what the writer told. */
export function tellCommit(observer: CommitObserver, figures: CommitFigures): void {
  const { facts, seconds, checkpoint } = figures
  if (facts > 0) observer.committed(facts, seconds)
  if (checkpoint !== undefined) observer.checkpointed(checkpoint.logBytes, checkpoint.seconds)
}
