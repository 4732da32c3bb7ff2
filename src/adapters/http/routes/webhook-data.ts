import type { z } from 'zod'
import type { Attempt } from '../../../application/webhooks/attempts.js'
import { cursorOf } from '../../../application/webhooks/payload.js'
import type { SendOutcome } from '../../../application/webhooks/ports/webhook-sending.js'
import type { ShownWebhook } from '../../../application/webhooks/show-webhook.js'
import type { Webhook } from '../../../domain/webhooks/webhooks.js'
import type { webhook } from '../schemas/webhook-schemas.js'

/** Builds the replies about webhooks. */

type WebhookData = z.infer<typeof webhook>

export function webhookData({ webhook: given, progress, lag }: ShownWebhook): WebhookData {
  const { paused = null, start } = given
  const failing = (paused === null ? progress?.failing : undefined) ?? null
  const { position, fact: id } = progress ?? start
  return {
    ...definitionData(given),
    state: stateOf(paused, failing),
    paused,
    failing: failing && { ...failing, status: failing.status ?? null },
    delivered_to: { position, cursor: cursorOf({ position: Number(position), id }) },
    behind: lagData(lag),
    last_delivery: progress?.delivered ?? null,
    defined_at: given.definedAt,
  }
}

function lagData(lag: ShownWebhook['lag']): WebhookData['behind'] {
  return lag === undefined ? null : { facts: lag.facts, more: lag.more, seconds: lag.seconds }
}

function definitionData({ filter, ...given }: Webhook) {
  return {
    key: given.key,
    version: given.version,
    title: given.title ?? null,
    origin: given.origin,
    types: listOrNull(filter.types),
    events: listOrNull(filter.events),
    segments: listOrNull(filter.segments),
    entity_id: filter.entityId ?? null,
    profile: given.profile,
  }
}

function stateOf(paused: object | null, failing: object | null): WebhookData['state'] {
  if (paused !== null) return 'paused'
  return failing === null ? 'active' : 'failing'
}

function listOrNull(list: readonly string[] | undefined): string[] | null {
  return list === undefined ? null : [...list]
}

export function outcomeData(outcome: SendOutcome) {
  return outcome.kind === 'replied'
    ? { status: outcome.status, error: null }
    : { status: null, error: outcome.error }
}

export function attemptData({ factId, at, durationMs, outcome }: Attempt) {
  return { fact_id: factId, at, ...outcomeData(outcome), duration_ms: durationMs }
}
