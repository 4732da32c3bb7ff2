export interface FaultForm {
  readonly status: number
  readonly message: string
  /**
   * The message for a write with an Idempotency-Key. It says that an earlier attempt may be stored.
   */
  readonly keyedMessage?: string
  readonly readMessage?: string
}

/**
 * Returns the status and messages of a temporary refusal. The message of a write says that nothing
 * was stored. The message of a write with an Idempotency-Key adds that an earlier attempt may be
 * stored. `why` is the reason; `readWhy` is the reason in the message of a read. `when` says when
 * to retry.
 */
export function untilLater(status: number, why: string, when: string, readWhy = why) {
  return {
    status,
    message: `${why} Nothing was stored. Send the request again ${when}.`,
    keyedMessage:
      `${why} This request stored nothing. An earlier request with the same Idempotency-Key may be stored. ` +
      'Send the request again later with the same key.',
    readMessage: `${readWhy} Ask again ${when}.`,
  }
}
