import { Refusal } from '../ports/refusal.js'
import type { Precondition } from '../../domain/segments/definitions.js'
import { timestampOf } from '../../domain/timestamp.js'
import {
  pauseWebhook,
  removeWebhook,
  replayWebhook,
  resumeWebhook,
  rotateSecret,
  type ChangeDecision,
} from '../../domain/webhooks/define-webhook.js'
import type { Webhooks } from '../../domain/webhooks/webhooks.js'
import type { ShownWebhook, WebhookViews } from './show-webhook.js'
import {
  findWebhook,
  otherMaster,
  startAt,
  type WantedStart,
  type WebhookParts,
} from './webhook-parts.js'

export interface ChangeRequest {
  readonly key: string
  readonly requestId: string
}

interface Command {
  readonly factId: string
  readonly key: string
  readonly now: Date
}

type Decide = (state: Webhooks, command: Command) => ChangeDecision

interface ChangedWebhook {
  readonly shown: ShownWebhook
  readonly position: string
}

/**
 * Returns the use cases that change a webhook. Each use case throws a `WebhookRefusal`, and the
 * errors of `WebhookLog.append`.
 */
export function webhookChanges(parts: WebhookParts, views: WebhookViews) {
  const { secrets, ids } = parts
  const changed = async (request: ChangeRequest, decide: Decide): Promise<ChangedWebhook> => {
    const { webhook, position } = await change(parts, request, decide)
    if (webhook === undefined) throw new Refusal('webhook_not_found')
    return { shown: await views.show(webhook), position }
  }
  return {
    removeWebhook: async (request: ChangeRequest & { readonly precondition: Precondition }) => {
      const { precondition } = request
      const { decision, command, position } = await change(parts, request, (state, given) =>
        removeWebhook(state, { ...given, precondition }),
      )
      const { key, version } = decision.before
      return { key, version, at: timestampOf(command.now), position }
    },

    pauseWebhook: (request: ChangeRequest) =>
      changed(request, (state, command) =>
        pauseWebhook(state, { ...command, by: 'request', reason: 'requested' }),
      ),

    /**
     * Resumes a webhook. If `from` is given, delivery continues from there. Throws the errors of
     * `WebhookParts.placeOf`.
     */
    resumeWebhook: async (
      request: ChangeRequest & { readonly from: WantedStart | undefined; readonly waitMs: number },
    ) => {
      const { from: wanted, waitMs } = request
      const from = wanted === undefined ? undefined : startAt(await parts.placeOf(wanted, waitMs))
      const replayId = ids.next()
      return changed(request, (state, command) =>
        resumeWebhook(state, { ...command, from, replayId }),
      )
    },

    /** Continues delivery from another position. Throws the errors of `WebhookParts.placeOf`. */
    replayWebhook: async (
      request: ChangeRequest & { readonly from: WantedStart; readonly waitMs: number },
    ) => {
      const from = startAt(await parts.placeOf(request.from, request.waitMs))
      return changed(request, (state, command) => replayWebhook(state, { ...command, from }))
    },

    /** Makes a new signing secret. For 24 hours, the former secret signs as well. Throws `webhooks_off`. */
    rotateWebhookSecret: async (request: ChangeRequest) => {
      const { master } = await findWebhook(parts, request.key)
      if (master !== secrets.fingerprint) throw otherMaster()
      const { shown, position } = await changed(request, rotateSecret)
      const { key, secretVersion, formerSecret } = shown.webhook
      const formerUntil = new Date(formerSecret?.until ?? 0)
      return { shown, position, secret: secrets.secretOf(key, secretVersion), formerUntil }
    },
  }
}

/** Makes a decision about one webhook, and appends its facts. */
async function change(
  { webhooks, ids, clock, sender }: WebhookParts,
  { key, requestId }: ChangeRequest,
  decide: Decide,
) {
  const command = { factId: ids.next(), key, now: clock.now() }
  const { decision, state, position } = await webhooks.append(requestId, (known) => {
    const made = decide(known, command)
    if (made.outcome === 'refused') throw new Refusal(made.reason)
    return made
  })
  sender?.wake()
  return { decision, command, webhook: state.live.get(key), position }
}
