import type { SendOutcome } from './ports/webhook-sending.js'

/** One attempt to deliver a fact, without the body and the URL. */
export interface Attempt {
  readonly factId: string
  /** The time at which the request was sent: UTC with milliseconds. */
  readonly at: string
  readonly durationMs: number
  readonly outcome: SendOutcome
}

/** The maximum number of attempts that are kept for each webhook. */
const maxAttempts = 200

/** The latest attempts of this process, by webhook. */
export class Attempts {
  private readonly byWebhook = new Map<string, Attempt[]>()

  add(webhook: string, attempt: Attempt): void {
    const attempts = this.byWebhook.get(webhook) ?? []
    attempts.push(attempt)
    if (attempts.length > maxAttempts) attempts.shift()
    this.byWebhook.set(webhook, attempts)
  }

  /** Returns the attempts of a webhook, newest first. */
  of(webhook: string): readonly Attempt[] {
    return this.byWebhook.get(webhook)?.toReversed() ?? []
  }

  /** Forgets the attempts of webhooks that no longer exist. */
  keep(webhooks: { has(webhook: string): boolean }): void {
    for (const webhook of this.byWebhook.keys()) {
      if (!webhooks.has(webhook)) this.byWebhook.delete(webhook)
    }
  }
}
