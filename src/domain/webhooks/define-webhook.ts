import { meetsPrecondition, type Precondition } from '../segments/definitions.js'
import { timestampOf } from '../timestamp.js'
import type { FactFilter } from './fact-filter.js'
import type {
  DeliveryStart,
  WebhookDefined,
  WebhookFact,
  WebhookPaused,
  WebhookSecretRotated,
} from './webhook-facts.js'
import type { Webhook, Webhooks } from './webhooks.js'

export const maxWebhooks = 50
export const maxFilterNames = 100

export interface DefineWebhook {
  readonly factId: string
  readonly key: string
  readonly title: string | undefined
  readonly origin: string
  readonly sealedUrl: string
  /** Returns whether the webhook already has the URL of this command. */
  readonly hasSameUrl: (before: Webhook) => boolean
  readonly filter: FactFilter
  readonly profile: boolean
  readonly master: string
  /** The position after which a new webhook delivers. */
  readonly from: DeliveryStart
  /** Whether the caller chose `from`. Only a command for a new webhook may have `from`. */
  readonly hasFrom: boolean
  readonly precondition: Precondition
  readonly now: Date
}

export type WebhookRefusal =
  | 'precondition_failed'
  | 'too_many_webhooks'
  | 'webhook_not_found'
  | 'webhook_exists'

interface Refused {
  readonly outcome: 'refused'
  readonly reason: WebhookRefusal
}

export type DefineWebhookDecision =
  | Refused
  | { readonly outcome: 'same'; readonly webhook: Webhook }
  | {
      readonly outcome: 'defined'
      readonly fact: WebhookDefined
      readonly isNew: boolean
      /** Whether the webhook has a new secret. If it has one, the caller must receive it. */
      readonly hasNewSecret: boolean
    }

/** Decides whether a webhook is defined or changed. A change keeps the secret, unless the master key has changed. */
export function defineWebhook(webhooks: Webhooks, command: DefineWebhook): DefineWebhookDecision {
  const { key, precondition } = command
  const before = webhooks.live.get(key)
  if (!meetsPrecondition(precondition, before?.version)) return refused('precondition_failed')
  if (before !== undefined) {
    if (command.hasFrom) return refused('webhook_exists')
    if (isSame(before, command)) return { outcome: 'same', webhook: before }
  } else if (webhooks.live.size >= maxWebhooks) return refused('too_many_webhooks')
  const newest = webhooks.newest.get(key) ?? { version: 0, secretVersion: 0 }
  const hasNewSecret = before?.master !== command.master
  const secretVersion = newest.secretVersion + (hasNewSecret ? 1 : 0)
  const fact = definedBy(command, before === undefined, {
    version: newest.version + 1,
    secretVersion,
  })
  return { outcome: 'defined', fact, isNew: before === undefined, hasNewSecret }
}

function definedBy(
  command: DefineWebhook,
  isNew: boolean,
  versions: { readonly version: number; readonly secretVersion: number },
): WebhookDefined {
  const { filter, title, from } = command
  const data = {
    webhook: command.key,
    version: versions.version,
    ...(title === undefined ? {} : { title }),
    origin: command.origin,
    url: command.sealedUrl,
    ...(filter.types === undefined ? {} : { types: filter.types }),
    ...(filter.events === undefined ? {} : { events: filter.events }),
    ...(filter.segments === undefined ? {} : { segments: filter.segments }),
    ...(filter.entityId === undefined ? {} : { entityId: filter.entityId }),
    profile: command.profile,
    secretVersion: versions.secretVersion,
    master: command.master,
    ...(isNew ? { from } : {}),
    definedAt: timestampOf(command.now),
  }
  return { id: command.factId, type: 'WebhookDefined', data }
}

function isSame(before: Webhook, command: DefineWebhook): boolean {
  return (
    before.title === command.title &&
    before.profile === command.profile &&
    before.master === command.master &&
    isSameFilter(before.filter, command.filter) &&
    command.hasSameUrl(before)
  )
}

function isSameFilter(one: FactFilter, other: FactFilter): boolean {
  return (
    one.entityId === other.entityId &&
    areSameNames(one.types, other.types) &&
    areSameNames(one.events, other.events) &&
    areSameNames(one.segments, other.segments)
  )
}

function areSameNames(one?: readonly string[], other?: readonly string[]): boolean {
  return JSON.stringify(one?.toSorted()) === JSON.stringify(other?.toSorted())
}

interface ChangeWebhook {
  readonly factId: string
  readonly key: string
  readonly now: Date
}

export type ChangeDecision<F extends WebhookFact = WebhookFact> =
  | Refused
  | {
      readonly outcome: 'changed'
      readonly fact: readonly F[]
      /** The webhook before the change. */
      readonly before: Webhook
    }

export function removeWebhook(
  webhooks: Webhooks,
  { factId: id, key, now, precondition }: ChangeWebhook & { readonly precondition: Precondition },
): ChangeDecision {
  return changed(webhooks, key, (before) => {
    if (!meetsPrecondition(precondition, before.version)) return 'precondition_failed'
    const data = { webhook: key, version: before.version, at: timestampOf(now) }
    return [{ id, type: 'WebhookRemoved', data }]
  })
}

/** Decides to pause a webhook. Stores nothing when the webhook is already paused. */
export function pauseWebhook(
  webhooks: Webhooks,
  {
    factId: id,
    key,
    now,
    by,
    reason,
  }: ChangeWebhook & Pick<WebhookPaused['data'], 'by' | 'reason'>,
): ChangeDecision {
  return changed(webhooks, key, ({ paused }) => {
    if (paused !== undefined) return []
    return [{ id, type: 'WebhookPaused', data: { webhook: key, by, reason, at: timestampOf(now) } }]
  })
}

/**
 * Decides to resume a webhook. If `from` is given, delivery continues from that position. Stores nothing when
 * the webhook is not paused and `from` is not given. `replayId` is the id of the fact that records `from`.
 */
export function resumeWebhook(
  webhooks: Webhooks,
  {
    factId: id,
    key,
    now,
    replayId,
    from,
  }: ChangeWebhook & { readonly replayId: string; readonly from: DeliveryStart | undefined },
): ChangeDecision {
  const at = timestampOf(now)
  return changed(webhooks, key, ({ paused }) => {
    const moved = from === undefined ? [] : [replayed(replayId, key, from, at)]
    if (paused === undefined) return moved
    return [...moved, { id, type: 'WebhookResumed', data: { webhook: key, at } }]
  })
}

/** Decides to continue delivery from another position. A paused webhook stays paused. */
export function replayWebhook(
  webhooks: Webhooks,
  { factId: id, key, now, from }: ChangeWebhook & { readonly from: DeliveryStart },
): ChangeDecision {
  return changed(webhooks, key, () => [replayed(id, key, from, timestampOf(now))])
}

export function rotateSecret(
  webhooks: Webhooks,
  { factId: id, key, now }: ChangeWebhook,
): ChangeDecision<WebhookSecretRotated> {
  return changed(webhooks, key, ({ secretVersion }) => {
    const data = { webhook: key, secretVersion: secretVersion + 1, at: timestampOf(now) }
    return [{ id, type: 'WebhookSecretRotated', data }]
  })
}

function replayed(id: string, webhook: string, from: DeliveryStart, at: string) {
  return { id, type: 'WebhookReplayed', data: { webhook, from, at } } as const
}

function changed<F extends WebhookFact>(
  { live }: Webhooks,
  key: string,
  factsOf: (before: Webhook) => readonly F[] | WebhookRefusal,
): ChangeDecision<F> {
  const before = live.get(key)
  if (before === undefined) return refused('webhook_not_found')
  const fact = factsOf(before)
  return typeof fact === 'string' ? refused(fact) : { outcome: 'changed', fact, before }
}

function refused(reason: WebhookRefusal): Refused {
  return { outcome: 'refused', reason }
}
