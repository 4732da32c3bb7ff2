import { Gauge } from 'prom-client'
import type { Series } from './series.js'

/** The figures of the process that may send webhooks. They contain no URL and no key of a webhook. */
export interface WebhooksStatus {
  readonly isSender: boolean
  /** The number of webhooks by state. */
  readonly webhooks: Readonly<Record<'active' | 'failing' | 'paused', number>>
  /** The number of attempts by outcome. */
  readonly attempts: Readonly<Record<'delivered' | 'refused' | 'unreachable', number>>
}

/** Adds the metrics of webhooks. */
export function showWebhooks(sender: { readonly status: WebhooksStatus }, series: Series): void {
  series.gauge(
    'dossier_webhook_sender',
    '1 while this process sends the webhooks of all replicas; otherwise 0.',
    () => (sender.status.isSender ? 1 : 0),
  )
  new Gauge({
    name: 'dossier_webhooks',
    help: 'Webhooks by state. Only the sending process knows which ones fail.',
    labelNames: ['state'],
    registers: [series.registry],
    collect() {
      for (const [state, count] of Object.entries(sender.status.webhooks))
        this.set({ state }, count)
    },
  })
  series.counters(
    'dossier_webhook_attempts_total',
    'Attempts of this process to deliver a fact, by outcome: delivered, refused (another status), unreachable.',
    ['outcome'],
    () =>
      Object.entries(sender.status.attempts).map(
        ([outcome, count]) => [{ outcome }, count] as const,
      ),
  )
}
