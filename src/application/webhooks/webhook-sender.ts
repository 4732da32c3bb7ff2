import { ExactAppendLoop, type ExactAppendLoopParts, type Outcome } from '../exact-append-loop.js'
import type { IdGenerator } from '../ports/clock-and-ids.js'
import type { ExactAppend, LastFactReader } from '../ports/exact-appends.js'
import { stackOf } from '../ports/log.js'
import { isRefused } from '../ports/refusal.js'
import { Semaphore } from '../semaphore.js'
import { pauseWebhook } from '../../domain/webhooks/define-webhook.js'
import type { RecordedProgress } from '../../domain/webhooks/webhook-facts.js'
import type { Webhook, Webhooks } from '../../domain/webhooks/webhooks.js'
import type { Attempts } from './attempts.js'
import { Delivery, type DeliveryParts } from './delivery.js'
import { LagWatch } from './lag-watch.js'
import type { SendOutcome } from './ports/webhook-sending.js'
import { isDelivered } from './send-fact.js'
import { SenderClaim } from './sender-claim.js'
import type { WebhookLog } from './webhook-log.js'
import { WebhookPages } from './webhook-pages.js'

export interface WebhookSenderParts
  extends
    ExactAppendLoopParts,
    Pick<DeliveryParts, 'model' | 'transport' | 'secrets' | 'confirmErasure'> {
  readonly store: ExactAppendLoopParts['store'] & LastFactReader
  readonly webhooks: WebhookLog
  readonly attempts: Attempts
  readonly ids: IdGenerator
  /** The time in milliseconds on a clock that never jumps. */
  readonly now: () => number
  /** Whether several processes may use the store. */
  readonly isShared: boolean
  /** Whether every entity of the erasure ledger is erased in this store too. */
  readonly hasLedgerCaughtUp: () => boolean
}

/** The time between two rounds, in milliseconds. A change of a definition takes effect within two rounds. */
const roundMs = 1_000
/** The lag of the read model at which this process stops sending, in milliseconds. */
const maxLagMs = 60_000
/**
 * The limits of bodies that are being sent, in bytes: for all webhooks, and for one webhook. Together with the
 * bodies that are being built, at most 32 MiB are in memory.
 */
const bodyLimits = { most: 16_777_216, mostOfOne: 4_194_304, queued: Infinity }
const buildLimits = { most: 7, mostOfOne: 4, queued: Infinity }

/** The kinds of attempts that metrics count. */
export type AttemptKind = 'delivered' | 'refused' | 'unreachable'

/**
 * Sends the webhooks of all replicas, if this process has the claim to send (`SenderClaim`). Each webhook has a
 * `Delivery`. Each second, a round applies changed definitions, renews the claim, and records the progress when
 * it is due.
 */
export class WebhookSender {
  private readonly loop: ExactAppendLoop
  private readonly claim: SenderClaim
  private readonly lag: LagWatch
  private readonly deliveries = new Map<string, Delivery>()
  /** The progress of the webhooks without a delivery. */
  private readonly rested = new Map<string, RecordedProgress>()
  private readonly deliveryParts: DeliveryParts
  private readonly counts: Record<AttemptKind, number> = {
    delivered: 0,
    refused: 0,
    unreachable: 0,
  }
  private nextRoundAt = 0
  /** The last applied position when the definitions were read. */
  private readAtPosition = -1
  private webhooks: Webhooks = { live: new Map(), newest: new Map() }
  private hasLoggedMaster = false

  constructor(private readonly parts: WebhookSenderParts) {
    this.claim = new SenderClaim(parts)
    this.lag = new LagWatch(() => parts.model.status, parts.now)
    this.deliveryParts = {
      ...parts,
      pages: new WebhookPages(parts.model),
      bodies: new Semaphore(bodyLimits),
      builds: new Semaphore(buildLimits),
      maySend: () => this.claim.isSender,
      counted: (outcome) => {
        this.counts[kindOf(outcome)] += 1
      },
      failed: (error) => {
        this.logUnexpected(error)
      },
    }
    this.loop = new ExactAppendLoop(parts, {
      sleepMs: () => Math.max(0, this.nextRoundAt - this.wallNow()),
      round: () => this.round(),
      isFailure: () => true,
      failure: 'the state of the webhooks cannot be stored; this is retried',
    })
  }

  start(): void {
    this.loop.start()
  }

  /** Stops sending, so that another process can send at once. */
  async stop(): Promise<void> {
    await this.loop.stop()
    await this.stopDeliveries()
    try {
      await this.claim.release(this.append, this.progress())
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.parts.log.warn({ reason }, 'the progress of the webhooks was not stored at the stop')
    }
  }

  /** Applies a change of the definitions now, without waiting for the next round. */
  wake(): void {
    this.readAtPosition = -1
    this.nextRoundAt = 0
    this.loop.wakeIfDue()
  }

  /** The figures for metrics. */
  get status() {
    const live = [...this.webhooks.live.values()]
    const paused = live.filter((webhook) => webhook.paused !== undefined).length
    const failing = [...this.deliveries.values()].filter((one) => one.failing !== undefined).length
    return {
      isSender: this.claim.isSender,
      webhooks: { active: live.length - paused - failing, failing, paused },
      attempts: this.counts,
    }
  }

  /** Returns the progress of the webhook. Undefined when this process does not deliver it. */
  progressOf(key: string): RecordedProgress | undefined {
    if (!this.claim.isSender) return undefined
    return this.deliveries.get(key)?.progress ?? this.rested.get(key)
  }

  private async round(): Promise<Outcome> {
    this.nextRoundAt = this.wallNow() + roundMs
    await this.readDefinitions()
    const sendable = this.sendable()
    if (!this.maySend(sendable)) return this.letGo()
    if (!this.claim.isSender && !(await this.claimNow())) return 'nothing'
    await this.follow(sendable)
    await this.pauseDeliveries()
    if (await this.claim.record(this.append, this.progress())) return 'nothing'
    this.claim.abandon()
    await this.stopDeliveries(true)
    return 'overtaken'
  }

  /** Reads the definitions, if there is a webhook or the log has grown since the last read. */
  private async readDefinitions(): Promise<void> {
    const { position } = this.parts.model.status.applied
    if (this.webhooks.live.size === 0 && position === this.readAtPosition) return
    this.webhooks = await this.parts.webhooks.read()
    this.readAtPosition = position
    this.parts.attempts.keep(this.webhooks.live)
  }

  private sendable(): readonly Webhook[] {
    const { secrets, log } = this.parts
    const active = [...this.webhooks.live.values()].filter(({ paused }) => paused === undefined)
    if (active.length === 0) return active
    const own = active.filter(({ master }) => master === secrets.fingerprint)
    if (own.length < active.length && !this.hasLoggedMaster) {
      this.hasLoggedMaster = true
      log.warn(
        { webhooks: active.length - own.length },
        'some webhooks were defined under another WEBHOOK_SECRET: this process does not send them',
      )
    }
    return own
  }

  private maySend(sendable: readonly Webhook[]): boolean {
    const lagMs = this.lag.ms
    // A process that rebuilds its read model keeps its claim for some time, but makes no new claim.
    const mayClaim = this.claim.isSender || !this.parts.model.status.isBuilding
    return sendable.length > 0 && mayClaim && lagMs <= maxLagMs && this.parts.hasLedgerCaughtUp()
  }

  private async letGo(): Promise<Outcome> {
    await this.stopDeliveries()
    await this.claim.release(this.append, this.progress())
    return 'nothing'
  }

  private async claimNow(): Promise<boolean> {
    // Stops the deliveries of an expired claim. They have sent nothing since the claim expired.
    await this.stopDeliveries(true)
    this.claim.abandon()
    if (!(await this.claim.claim(this.append))) return false
    this.rested.clear()
    for (const progress of this.claim.progress) this.rested.set(progress.webhook, progress)
    return true
  }

  /** Starts and stops deliveries, so that each sendable webhook has a delivery. */
  private async follow(sendable: readonly Webhook[]): Promise<void> {
    const wanted = new Map(sendable.map((webhook) => [webhook.key, webhook]))
    for (const [key, delivery] of this.deliveries) {
      const webhook = wanted.get(key)
      if (webhook !== undefined && isSameDelivery(webhook, delivery.webhook))
        delivery.webhook = webhook
      else await this.rest(key, delivery)
    }
    for (const key of this.rested.keys()) if (!this.webhooks.live.has(key)) this.rested.delete(key)
    for (const [key, webhook] of wanted) {
      if (this.deliveries.has(key)) continue
      const delivery = new Delivery(this.deliveryParts, webhook, this.rested.get(key))
      this.deliveries.set(key, delivery)
      delivery.start()
    }
  }

  private async rest(key: string, delivery: Delivery, isAtOnce = false): Promise<void> {
    await delivery.stop(isAtOnce)
    this.deliveries.delete(key)
    this.rested.set(key, delivery.progress)
    this.parts.transport.forget(key)
  }

  private async stopDeliveries(isAtOnce = false): Promise<void> {
    await Promise.all(
      [...this.deliveries].map(([key, delivery]) => this.rest(key, delivery, isAtOnce)),
    )
  }

  /**
   * Pauses the webhooks whose receiver is gone, whose receiver has failed for too long, or whose cursor is not
   * in the store.
   */
  private async pauseDeliveries(): Promise<void> {
    const { webhooks, clock, ids, log } = this.parts
    for (const [key, delivery] of this.deliveries) {
      const { pauseCause: reason } = delivery
      if (reason === undefined) continue
      const by = reason === 'gone' ? 'receiver' : 'service'
      const change = { factId: ids.next(), key, by, reason, now: clock.now() } as const
      await webhooks.append(ids.next(), (state) => {
        const decision = pauseWebhook(state, change)
        return decision.outcome === 'changed' ? decision : {}
      })
      log.warn(
        { webhook: key, reason },
        'a webhook is paused: POST /webhooks/{key}/resume continues',
      )
      // Ends the delivery now, because a request may resume the webhook before the next round.
      await this.rest(key, delivery)
    }
  }

  private progress(): readonly RecordedProgress[] {
    return [...this.webhooks.live.values()].flatMap(({ key, start }) => {
      const progress = this.deliveries.get(key)?.progress ?? this.rested.get(key)
      return progress?.start === start.setBy ? [progress] : []
    })
  }

  private readonly append = (append: ExactAppend) => this.loop.append(append)

  private logUnexpected(error: unknown): void {
    if (isRefused(error, 'store_unavailable', 'outcome_unknown')) return
    this.parts.log.error(
      { reason: stackOf(error) },
      'the delivery of a webhook failed because of a bug',
    )
  }

  private wallNow(): number {
    return this.parts.clock.now().getTime()
  }
}

function isSameDelivery(one: Webhook, other: Webhook): boolean {
  return one.version === other.version && one.start.setBy === other.start.setBy
}

function kindOf(outcome: SendOutcome): AttemptKind {
  if (isDelivered(outcome)) return 'delivered'
  return outcome.kind === 'replied' ? 'refused' : 'unreachable'
}
