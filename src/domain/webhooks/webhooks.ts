import { epochMsOf } from '../timestamp.js'
import type { DeliveryStart, WebhookDefined, WebhookFact, WebhookPaused } from './webhook-facts.js'
import type { FactFilter } from './fact-filter.js'

/** The time after a rotation during which the former secret also signs, in milliseconds. */
export const formerSecretMs = 86_400_000

export interface Webhook {
  readonly key: string
  readonly version: number
  readonly title: string | undefined
  readonly origin: string
  /** The URL, encrypted under the master key. */
  readonly sealedUrl: string
  readonly filter: FactFilter
  readonly profile: boolean
  readonly secretVersion: number
  /** The former secret, and the time until which it signs, in milliseconds since 1970. */
  readonly formerSecret: { readonly version: number; readonly until: number } | undefined
  /** The fingerprint of the master key. */
  readonly master: string
  /** The position after which delivery began, and the id of the fact that set this position. */
  readonly start: DeliveryStart & { readonly setBy: string }
  readonly paused: Omit<WebhookPaused['data'], 'webhook'> | undefined
  readonly definedAt: string
}

/** The state of the stream `webhooks`. */
export interface Webhooks {
  /** The webhooks that are not removed, by key. */
  readonly live: ReadonlyMap<string, Webhook>
  /** The newest versions of each webhook, by key. Includes the keys of removed webhooks. */
  readonly newest: ReadonlyMap<string, { readonly version: number; readonly secretVersion: number }>
}

export class RecordedWebhooks implements Webhooks {
  readonly live = new Map<string, Webhook>()
  readonly newest = new Map<string, { readonly version: number; readonly secretVersion: number }>()

  /** Adds the next fact of the stream. */
  add(fact: WebhookFact): void {
    const { webhook: key } = fact.data
    if (fact.type === 'WebhookDefined') {
      this.define(fact)
      return
    }
    const before = this.live.get(key)
    if (before === undefined) return
    switch (fact.type) {
      case 'WebhookRemoved':
        this.newest.set(key, { version: fact.data.version, secretVersion: before.secretVersion })
        this.live.delete(key)
        return
      case 'WebhookPaused': {
        const { by, reason, at } = fact.data
        this.live.set(key, { ...before, paused: { by, reason, at } })
        return
      }
      case 'WebhookResumed':
        this.live.set(key, { ...before, paused: undefined })
        return
      case 'WebhookReplayed':
        this.live.set(key, { ...before, start: { ...fact.data.from, setBy: fact.id } })
        return
      case 'WebhookSecretRotated': {
        const { secretVersion, at } = fact.data
        const until = epochMsOf(at) + formerSecretMs
        const formerSecret = { version: before.secretVersion, until }
        this.newest.set(key, { version: before.version, secretVersion })
        this.live.set(key, { ...before, secretVersion, formerSecret })
      }
    }
  }

  private define(fact: WebhookDefined): void {
    const { webhook: key, version, secretVersion } = fact.data
    const webhook = webhookAfter(this.live.get(key), fact)
    this.newest.set(key, { version, secretVersion })
    if (webhook !== undefined) this.live.set(key, webhook)
  }
}

/** Returns the webhook after its definition. Returns undefined for a change of a webhook that does not exist. */
export function webhookAfter(
  before: Webhook | undefined,
  { id, data }: WebhookDefined,
): Webhook | undefined {
  const start = data.from === undefined ? before?.start : { ...data.from, setBy: id }
  if (start === undefined) return undefined
  const { types, events, segments, entityId } = data
  const isOld = data.from === undefined
  return {
    key: data.webhook,
    version: data.version,
    title: data.title,
    origin: data.origin,
    sealedUrl: data.url,
    filter: { types, events, segments, entityId },
    profile: data.profile,
    secretVersion: data.secretVersion,
    // Drops a former secret that was derived from another master key.
    formerSecret: isOld && before?.master === data.master ? before.formerSecret : undefined,
    master: data.master,
    start,
    paused: isOld ? before?.paused : undefined,
    definedAt: data.definedAt,
  }
}
