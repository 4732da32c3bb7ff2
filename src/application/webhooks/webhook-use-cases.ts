// Webhooks: this folder sends facts of the log to receivers over HTTP.
// - In: `define-webhook.ts` and `change-webhook.ts` turn requests into facts of the stream `webhooks`.
// - `webhook-sender.ts` runs in each process with a read model. `sender-claim.ts` decides which process sends.
// - `delivery.ts` reads the facts of one webhook from the read model, and `lanes.ts` keeps their order.
// - Out: `send-fact.ts` builds each message, and a `WebhookTransport` sends it. The sender records the progress in
// the stream `webhook-progress`.
// - `show-webhook.ts` returns the progress to callers. `test-webhook.ts` sends a test message.
import { defineWebhookUseCase } from './define-webhook.js'
import { webhookChanges } from './change-webhook.js'
import { WebhookViews } from './show-webhook.js'
import { testWebhookUseCase } from './test-webhook.js'
import type { WebhookParts } from './webhook-parts.js'

export type WebhookUseCases = Readonly<ReturnType<typeof webhookUseCases>>

/** Returns the use cases that define, change, show and test webhooks. */
export function webhookUseCases(parts: WebhookParts) {
  const views = new WebhookViews(parts)
  return {
    defineWebhook: defineWebhookUseCase(parts, views),
    ...webhookChanges(parts, views),
    testWebhook: testWebhookUseCase(parts),
    listWebhooks: () => views.list(),
    readWebhook: (key: string) => views.find(key),
    webhookAttempts: (key: string) => views.attemptsOf(key),
  }
}
