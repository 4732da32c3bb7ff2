import type { RuleViolation } from '../../../domain/rule-violation.js'

/** The secrets of webhooks. All of them derive from one master key. */
export interface WebhookSecrets {
  /** The fingerprint of the master key. Undefined when this process has no master key yet. */
  readonly fingerprint: string | undefined
  /** Creates the master key if there is none. Throws `store_unavailable` when it cannot be stored. */
  ensureMaster(): void
  /** Encrypts a URL. `key` is the key of the webhook. It is needed to decrypt the URL. */
  seal(key: string, url: string): string
  /** Decrypts a URL. Returns undefined when it was encrypted with another master key. */
  open(key: string, sealed: string): string | undefined
  /** Returns a secret in the form of Standard Webhooks: `whsec_` and base64. */
  secretOf(key: string, version: number): string
}

/** Checks the text of a receiver's URL. The address is checked again at each connection. */
export interface ReceiverUrls {
  /** Returns the reasons why the URL is refused. Empty when it is accepted. */
  violations(url: string): readonly RuleViolation[]
  /** Returns the URL in its normal form, and its origin. Call it only for accepted URLs. */
  normalised(url: string): { readonly url: string; readonly origin: string }
}

export interface OutgoingMessage {
  /** The key of the webhook. All messages of a webhook share connections. */
  readonly webhook: string
  readonly url: string
  /** The id of the message. All attempts to send the message use this id. */
  readonly id: string
  readonly body: string
  /** The secrets that sign, the present secret first. */
  readonly secrets: readonly string[]
}

/** The result of an attempt. `error` is a short text without any part of the URL, of the body or of the reply. */
export type SendOutcome =
  | {
      readonly kind: 'replied'
      readonly status: number
      /** The time that the receiver asks to wait, in milliseconds. */
      readonly retryAfterMs: number | undefined
    }
  | { readonly kind: 'unreachable'; readonly error: string }

export interface WebhookTransport {
  /** Sends one message and returns the result. Never rejects. Ends within 12 seconds. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>
  /** Closes the connections of a webhook. */
  forget(webhook: string): void
  /** Closes all connections. */
  close(): Promise<void>
}
