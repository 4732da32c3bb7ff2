import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import type { LastFactReader } from '../ports/exact-appends.js'
import { Refusal } from '../ports/refusal.js'
import type { Checkpoint, ReadModel } from '../reading/ports/read-model.js'
import type { DeliveryStart } from '../../domain/webhooks/webhook-facts.js'
import type { Webhook } from '../../domain/webhooks/webhooks.js'
import type { Attempts } from './attempts.js'
import type { ReceiverUrls, WebhookSecrets, WebhookTransport } from './ports/webhook-sending.js'
import type { WebhookLog } from './webhook-log.js'
import type { WebhookSender } from './webhook-sender.js'

/** The point in the fact log from which a caller wants delivery to begin. */
export type WantedStart =
  | 'start'
  | 'now'
  | { readonly position: number; readonly idBegins?: string | undefined }

export interface WebhookParts {
  readonly webhooks: WebhookLog
  readonly store: LastFactReader
  readonly secrets: WebhookSecrets
  readonly urls: ReceiverUrls
  readonly transport: WebhookTransport
  readonly attempts: Attempts
  readonly clock: Clock
  readonly ids: IdGenerator
  /** Undefined when the read model is off. */
  readonly model: Pick<ReadModel, 'query' | 'status'> | undefined
  /**
   * Returns the fact after which delivery begins. Throws `position_unknown` when the store has
   * another fact at the position.
   */
  readonly placeOf: (from: WantedStart, waitMs: number) => Promise<Checkpoint>
  /** Undefined when this process sends no webhooks. */
  readonly sender: Pick<WebhookSender, 'progressOf' | 'wake'> | undefined
}

/** The longest time that a response about webhooks waits for a query of the read model, in milliseconds. */
export const queryMs = 1_000

/** The caller name of these queries. No client has this name, so the queries count for no client's limit. */
export const caller = 'the webhooks'

/** Returns a webhook. Throws `webhook_not_found`. */
export async function findWebhook(
  { webhooks }: Pick<WebhookParts, 'webhooks'>,
  key: string,
): Promise<Webhook> {
  const webhook = (await webhooks.read()).live.get(key)
  if (webhook === undefined) throw new Refusal('webhook_not_found')
  return webhook
}

export function startAt({ position, id }: Checkpoint): DeliveryStart {
  return { position: String(position), fact: id }
}

/** Returns the refusal of a request that another replica may be able to carry out. */
export function notHere(message: string): Refusal {
  return new Refusal('webhooks_off', message)
}

export function noReadModel(): Refusal {
  return notHere('this process has no read model')
}

export function otherMaster(): Refusal {
  return notHere('this process has another WEBHOOK_SECRET')
}
