/** A position in `$all`. The server requires both numbers. */
export interface Position {
  readonly commit: bigint
  readonly prepare: bigint
}

/**
 * The checkpoint is after the end of the log, so the server was restored from a backup or replaced. A subscription
 * from such a checkpoint would silently skip facts.
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

/** No event of the log begins at the checkpoint, so the checkpoint belongs to another log. */
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

/** The server does not allow this user to read `$all`. */
export class SubscriptionDenied extends Error {
  readonly code = 'subscription_denied'
  override readonly name = 'SubscriptionDenied'
}

/** A function of the caller threw. `cause` is the thrown error. */
export class HandlerFailed extends Error {
  readonly code = 'handler_failed'
  override readonly name = 'HandlerFailed'
}

/** The caller aborted the signal. `run` catches this error and resolves. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
