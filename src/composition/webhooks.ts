import { dirname, join } from 'node:path'
import { DerivedSecrets } from '../adapters/webhooks/derived-secrets.js'
import type { HttpTransport } from '../adapters/webhooks/http-transport.js'
import { MasterKey } from '../adapters/webhooks/master-key.js'
import { receiverUrls } from '../adapters/webhooks/receiver-urls.js'
import { pause } from '../adapters/system/clock-and-ids.js'
import type { ErasingUseCases } from '../application/erasing/erasing-use-cases.js'
import type { Clock, IdGenerator } from '../application/ports/clock-and-ids.js'
import type { Log } from '../application/ports/log.js'
import { isRefused } from '../application/ports/refusal.js'
import { startOf } from '../application/reading/feed-start.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { GuardedStore } from '../application/recording/guard-store.js'
import { Attempts } from '../application/webhooks/attempts.js'
import type { ConfirmedErasure } from '../application/webhooks/send-fact.js'
import type { WebhookTransport } from '../application/webhooks/ports/webhook-sending.js'
import { noReadModel, type WebhookParts } from '../application/webhooks/webhook-parts.js'
import { webhookUseCases, type WebhookUseCases } from '../application/webhooks/webhook-use-cases.js'
import { recipientOf } from '../domain/webhooks/webhook-facts.js'
import { WebhookSender } from '../application/webhooks/webhook-sender.js'
import type { WebhookLog } from '../application/webhooks/webhook-log.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'

export interface WebhooksGiven {
  readonly settings: Settings
  readonly webhooks: WebhookLog
  readonly opened: OpenStore
  readonly store: GuardedStore
  /** Whether several processes may use the store. */
  readonly isShared: boolean
  readonly model: ReadModel | undefined
  readonly confirmErasure: ErasingUseCases['confirmErasure']
  readonly hasLedgerCaughtUp: () => boolean
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly log: Log
  readonly version: string
}

export interface OpenWebhooks {
  readonly useCases: WebhookUseCases
  /** Undefined when this process sends no webhooks. */
  readonly sender: WebhookSender | undefined
  close(): Promise<void>
}

/** Creates the use cases of webhooks, and starts the sender unless WEBHOOKS or the read model is off. */
export function openWebhooks(given: WebhooksGiven): OpenWebhooks {
  const { settings, webhooks, opened, store, model, clock, ids, log, version } = given
  const { webhookInsecure: isInsecure, webhookPrivate: isPrivate } = settings
  const secrets = new DerivedSecrets(
    new MasterKey({
      secret: settings.webhookSecret,
      file: join(dirname(settings.apiKeysFile), 'webhook-secret'),
    }),
  )
  const transport = lazily(async () => {
    const { HttpTransport } = await import('../adapters/webhooks/http-transport.js')
    return new HttpTransport({ isInsecure, isPrivate, clock, version })
  })
  const attempts = new Attempts()
  const sender =
    model === undefined || !settings.webhooks
      ? undefined
      : new WebhookSender({
          webhooks,
          store: {
            appendAt: (append) => store.appendAt(append),
            readLast: (stream) => opened.readLast(stream),
          },
          model,
          transport,
          secrets,
          attempts,
          clock,
          ids,
          log,
          pause,
          random: Math.random,
          now: () => performance.now(),
          isShared: given.isShared,
          hasLedgerCaughtUp: given.hasLedgerCaughtUp,
          confirmErasure: confirmationBy(given),
        })
  sender?.start()
  const useCases = webhookUseCases({
    webhooks,
    store: opened,
    secrets,
    urls: receiverUrls({ isInsecure, isPrivate }),
    transport,
    attempts,
    clock,
    ids,
    model,
    placeOf: placeIn(model),
    sender,
  })
  return {
    useCases,
    sender,
    close: async () => {
      await sender?.stop()
      await transport.close()
    },
  }
}

/** Returns a function that converts a wanted start to the position after which a webhook delivers. */
export function placeIn(model: ReadModel | undefined): WebhookParts['placeOf'] {
  return async (from, waitMs) => {
    if (model === undefined) throw noReadModel()
    return (await startOf(model, from, { waitMs })).value
  }
}

/**
 * Returns a function that confirms an erasure for a webhook. Does nothing when the webhook is not a recipient,
 * because it was defined after the erasure.
 */
function confirmationBy({ confirmErasure, ids }: WebhooksGiven) {
  return async ({ webhook, erasureId, position }: ConfirmedErasure): Promise<void> => {
    const recipient = recipientOf(webhook)
    const requestId = ids.next()
    try {
      await confirmErasure({ erasureId, recipient, position, mayErase: false, requestId })
    } catch (error) {
      if (!isRefused(error, 'validation_failed', 'erasure_not_found')) throw error
    }
  }
}

/** Returns a transport that is loaded at the first message, because its HTTP client takes time to load. */
function lazily(load: () => Promise<HttpTransport>): WebhookTransport {
  let loading: Promise<HttpTransport> | undefined
  return {
    send: async (message, signal) => (await (loading ??= load())).send(message, signal),
    forget: (webhook) => {
      void loading?.then((transport) => {
        transport.forget(webhook)
      })
    },
    close: async () => {
      await (await loading)?.close()
    },
  }
}
