import { readFact } from '../facts/fact-format.js'
import { refusedAnswers, unlessRefused } from '../ports/refusal.js'
import {
  webhookProgressStream,
  type RecordedProgress,
} from '../../domain/webhooks/webhook-facts.js'
import type { Webhook } from '../../domain/webhooks/webhooks.js'
import type { Attempt } from './attempts.js'
import type { WebhookLag } from './ports/webhook-queries.js'
import { caller, findWebhook, queryMs, type WebhookParts } from './webhook-parts.js'

/** A webhook, with the progress of its delivery. */
export interface ShownWebhook {
  readonly webhook: Webhook
  /** The recorded progress. Undefined before the first progress of the webhook is recorded. */
  readonly progress: RecordedProgress | undefined
  /**
   * The number of facts that are not delivered yet, and their lag. Undefined when this process has
   * no read model, or the read model does not answer.
   */
  readonly lag: (WebhookLag & { readonly seconds: number }) | undefined
}

/**
 * Shows webhooks with the progress of their delivery. If this process sends, the progress is up to
 * date. Otherwise it is the recorded progress.
 */
export class WebhookViews {
  constructor(private readonly parts: WebhookParts) {}

  async show(webhook: Webhook): Promise<ShownWebhook> {
    return this.shown(webhook, await this.recorded())
  }

  /** Returns all webhooks in the order of their keys. */
  async list(): Promise<readonly ShownWebhook[]> {
    const recorded = await this.recorded()
    const shown: ShownWebhook[] = []
    const { live } = await this.parts.webhooks.read()
    for (const key of [...live.keys()].toSorted()) {
      const webhook = live.get(key)
      if (webhook !== undefined) shown.push(await this.shown(webhook, recorded))
    }
    return shown
  }

  async find(key: string): Promise<ShownWebhook> {
    return this.show(await findWebhook(this.parts, key))
  }

  /** Returns the latest attempts of this process, newest first. */
  async attemptsOf(key: string): Promise<readonly Attempt[]> {
    await findWebhook(this.parts, key)
    return this.parts.attempts.of(key)
  }

  private async shown(
    webhook: Webhook,
    recorded: readonly RecordedProgress[],
  ): Promise<ShownWebhook> {
    const { key, start } = webhook
    const known = this.parts.sender?.progressOf(key) ?? recorded.find((one) => one.webhook === key)
    // Ignores the progress of an earlier delivery that began at another position.
    const progress = known?.start === start.setBy ? known : undefined
    const after = Number((progress ?? start).position)
    return { webhook, progress, lag: await this.lagOf(webhook, after) }
  }

  private async lagOf({ filter }: Webhook, after: number): Promise<ShownWebhook['lag']> {
    const { model, clock } = this.parts
    if (model === undefined) return undefined
    const want = { waitMs: 0, answerMs: queryMs, caller }
    const answer = await unlessRefused(
      model.query('webhookLag', { after, filter }, want),
      ...refusedAnswers,
    )
    if (answer === undefined) return undefined
    const { oldestAt } = answer.value
    const lagMs = oldestAt === undefined ? 0 : clock.now().getTime() - Date.parse(oldestAt)
    return { ...answer.value, seconds: Math.max(0, Math.round(lagMs / 1_000)) }
  }

  /** Returns the progress that a sending process recorded last. */
  private async recorded(): Promise<readonly RecordedProgress[]> {
    const stored = await this.parts.store.readLast(webhookProgressStream)
    const fact = stored && readFact(stored)
    return fact?.type === 'WebhookProgressRecorded' ? fact.data.webhooks : []
  }
}
