import { timestampOf } from '../../domain/timestamp.js'
import type { ChangeRequest } from './change-webhook.js'
import type { SendOutcome } from './ports/webhook-sending.js'
import { signingSecrets } from './signing-secrets.js'
import { findWebhook, notHere, otherMaster, type WebhookParts } from './webhook-parts.js'

export interface TestedWebhook {
  /** The id of the message. */
  readonly id: string
  readonly outcome: SendOutcome
  readonly durationMs: number
  /** The position of the last definition. A test stores no fact. */
  readonly position: string
}

/**
 * Sends one message of the type `webhook.test`, and returns the reply of the receiver. Throws `webhook_not_found`
 * and `webhooks_off`.
 */
export function testWebhookUseCase(parts: WebhookParts) {
  const { webhooks, secrets, transport, clock, ids } = parts
  return async ({ key, requestId }: ChangeRequest): Promise<TestedWebhook> => {
    const webhook = await findWebhook(parts, key)
    if (parts.sender === undefined) throw notHere('this process sends no webhooks')
    const url = secrets.open(key, webhook.sealedUrl)
    if (url === undefined) throw otherMaster()
    const now = clock.now()
    const id = ids.next()
    const timestamp = timestampOf(now)
    const body = JSON.stringify({ type: 'webhook.test', id, timestamp, data: { webhook: key } })
    const message = { webhook: key, url, id, body, secrets: signingSecrets(secrets, webhook, now) }
    const begun = performance.now()
    const outcome = await transport.send(message, new AbortController().signal)
    const durationMs = Math.round(performance.now() - begun)
    const { position } = await webhooks.append(requestId, () => ({}))
    return { id, outcome, durationMs, position }
  }
}
