import { Refusal, RuleRefused } from '../ports/refusal.js'
import { broken } from '../../domain/rule-violation.js'
import type { Precondition } from '../../domain/segments/definitions.js'
import { defineWebhook, type DefineWebhookDecision } from '../../domain/webhooks/define-webhook.js'
import type { FactFilter } from '../../domain/webhooks/fact-filter.js'
import type { Webhook } from '../../domain/webhooks/webhooks.js'
import type { ShownWebhook, WebhookViews } from './show-webhook.js'
import { hintsFor } from './webhook-hints.js'
import {
  noReadModel,
  notHere,
  startAt,
  type WantedStart,
  type WebhookParts,
} from './webhook-parts.js'

export interface DefineWebhookRequest {
  readonly key: string
  readonly url: string
  readonly title: string | undefined
  readonly filter: Omit<FactFilter, 'entityId'>
  /** The external id of an entity, if only the facts of this entity are wanted. */
  readonly entity: string | undefined
  readonly profile: boolean
  readonly from: WantedStart | undefined
  readonly precondition: Precondition
  readonly requestId: string
  /** The longest time to wait for the read model, in milliseconds. */
  readonly waitMs: number
}

export interface DefinedWebhook {
  readonly outcome: 'new' | 'changed' | 'same'
  readonly shown: ShownWebhook
  /** The signing secret. Undefined unless it is new. */
  readonly secret: string | undefined
  readonly hints: readonly string[]
  readonly position: string
}

/**
 * Defines or changes a webhook. A new webhook gets a secret, and its delivery begins at `from`. Throws a
 * `WebhookRefusal`, `RuleRefused`, `entity_not_found`, `webhooks_off`, and the errors of reading and of
 * `WebhookLog.append`.
 */
export function defineWebhookUseCase(parts: WebhookParts, views: WebhookViews) {
  const { webhooks, secrets } = parts
  return async (request: DefineWebhookRequest): Promise<DefinedWebhook> => {
    const { key, requestId } = request
    const command = await commandOf(parts, request)
    const appended = await webhooks.append(requestId, (state) => defineWebhook(state, command))
    parts.sender?.wake()
    const { outcome, hasNewSecret } = definedBy(appended.decision)
    const webhook = appended.state.live.get(key)
    if (webhook === undefined) throw new Refusal('webhook_not_found')
    return {
      outcome,
      shown: await views.show(webhook),
      secret: hasNewSecret ? secrets.secretOf(key, webhook.secretVersion) : undefined,
      hints: await hintsFor(parts, webhook.filter),
      position: appended.position,
    }
  }
}

async function commandOf(parts: WebhookParts, request: DefineWebhookRequest) {
  const { webhooks, secrets, urls, ids, clock } = parts
  const { key, entity, waitMs } = request
  const violations = urls.violations(request.url)
  if (violations.length > 0) throw new RuleRefused(violations, 'url')
  const entityId = entity === undefined ? undefined : await entityIdOf(parts, entity, waitMs)
  const isNew = (await webhooks.read()).live.get(key) === undefined
  const place = isNew ? await parts.placeOf(request.from ?? 'now', waitMs) : { position: 0, id: '' }
  secrets.ensureMaster()
  const { fingerprint: master } = secrets
  if (master === undefined) throw notHere('this process has no WEBHOOK_SECRET')
  const { url, origin } = urls.normalised(request.url)
  return {
    factId: ids.next(),
    key,
    title: request.title,
    origin,
    sealedUrl: secrets.seal(key, url),
    hasSameUrl: ({ sealedUrl }: Webhook) => secrets.open(key, sealedUrl) === url,
    filter: { ...request.filter, entityId },
    profile: request.profile,
    master,
    from: startAt(place),
    hasFrom: request.from !== undefined,
    precondition: request.precondition,
    now: clock.now(),
  }
}

async function entityIdOf(
  { model }: WebhookParts,
  externalId: string,
  waitMs: number,
): Promise<string> {
  if (model === undefined) throw noReadModel()
  const { value } = await model.query('profile', { externalId }, { position: 'head', waitMs })
  if (value === undefined) throw new Refusal('entity_not_found')
  return value.entityId
}

function definedBy(decision: DefineWebhookDecision): {
  readonly outcome: DefinedWebhook['outcome']
  readonly hasNewSecret: boolean
} {
  switch (decision.outcome) {
    case 'defined':
      return { outcome: decision.isNew ? 'new' : 'changed', hasNewSecret: decision.hasNewSecret }
    case 'same':
      return { outcome: 'same', hasNewSecret: false }
    case 'refused': {
      if (decision.reason !== 'webhook_exists') throw new Refusal(decision.reason)
      const message = 'can be given only when the webhook is new: use POST /webhooks/{key}/replay'
      throw new RuleRefused([broken('conflict', message)], 'from')
    }
  }
}
