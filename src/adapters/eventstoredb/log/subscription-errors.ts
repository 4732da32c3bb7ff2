/** In the whole store. Both numbers are needed: the server wants both. */
export interface Position {
  readonly commit: bigint
  readonly prepare: bigint
}

/**
 * The checkpoint lies behind everything that the server holds, so the server was restored from a
 * backup or replaced by another one. Following it from there would skip facts without a word.
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

/** The server's log has nothing that begins at the checkpoint: it comes from another log. */
export class CheckpointUnknown extends Error {
  readonly code = 'checkpoint_unknown'
  override readonly name = 'CheckpointUnknown'

  constructor(readonly checkpoint: Position) {
    super(
      `the store has no fact at the checkpoint ${String(checkpoint.commit)}: the server was ` +
        `restored or replaced, or the checkpoint is another server's. ${whatToDo}`,
    )
  }
}

const whatToDo =
  'Check the connection string; if it is right, drop the read model together with its checkpoint and ' +
  'build it anew from the first fact'

/** The server does not let this user read the whole store. */
export class SubscriptionDenied extends Error {
  readonly code = 'subscription_denied'
  override readonly name = 'SubscriptionDenied'
}

/** What the caller supplied threw; the error it threw is the `cause`. */
export class HandlerFailed extends Error {
  readonly code = 'handler_failed'
  override readonly name = 'HandlerFailed'
}

/** The caller's signal was given. Never leaves the subscription. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
