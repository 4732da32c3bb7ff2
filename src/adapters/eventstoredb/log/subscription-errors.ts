/** A position in `$all`. The server requires both the commit and the prepare position. */
export interface Position {
  readonly commit: bigint
  readonly prepare: bigint
}

/**
 * Thrown when the checkpoint is after the end of the log: the server was restored from a backup or
 * replaced. A subscription from such a checkpoint would silently skip facts.
 */
export class CheckpointBeyondHead extends Error {
  readonly code = 'checkpoint_beyond_head'
  override readonly name = 'CheckpointBeyondHead'

  constructor(
    readonly checkpoint: Position,
    readonly head: Position,
  ) {
    super(
      `the checkpoint ${String(checkpoint.commit)} is beyond the head of the store, ` +
        `${String(head.commit)}: the server was restored or replaced. ${whatToDo}`,
    )
  }
}

/**
 * Thrown when no event of the log begins at the checkpoint: the checkpoint belongs to another log.
 */
export class CheckpointUnknown extends Error {
  readonly code = 'checkpoint_unknown'
  override readonly name = 'CheckpointUnknown'

  constructor(readonly checkpoint: Position) {
    super(
      `the store has no fact at the checkpoint ${String(checkpoint.commit)}: the server was ` +
        `restored or replaced, or the checkpoint comes from another server. ${whatToDo}`,
    )
  }
}

const whatToDo =
  'Check the connection string. If it is right, drop the read model together with its checkpoint and ' +
  'rebuild it from the first fact'

/** Thrown when the server does not allow this user to read `$all`. */
export class SubscriptionDenied extends Error {
  readonly code = 'subscription_denied'
  override readonly name = 'SubscriptionDenied'
}

/** Thrown when a function of the caller threw. `cause` is the thrown error. */
export class HandlerFailed extends Error {
  readonly code = 'handler_failed'
  override readonly name = 'HandlerFailed'
}

/** Thrown when the caller aborts the signal. `run` catches this error and resolves. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
