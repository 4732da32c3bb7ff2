import { BackgroundLoop, type Pause } from '../background-loop.js'
import { isRefused } from '../ports/refusal.js'
import type { Checkpoint } from '../reading/ports/read-model.js'
import { timestampOf } from '../../domain/timestamp.js'
import type { Failing, RecordedProgress } from '../../domain/webhooks/webhook-facts.js'
import type { Webhook } from '../../domain/webhooks/webhooks.js'
import { Lanes, type Lane, type LaneItem } from './lanes.js'
import type { SendOutcome } from './ports/webhook-sending.js'
import { ReceiverHold } from './receiver-hold.js'
import { isDelivered, sendFact, type SendingParts, type SendResult } from './send-fact.js'
import { pageSize, type WebhookPages } from './webhook-pages.js'

export interface DeliveryParts extends SendingParts {
  readonly pages: Pick<WebhookPages, 'after'>
  readonly pause: Pause
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  /** Reports an error that is a bug or an outage of the store. */
  readonly failed: (error: unknown) => void
}

/** The maximum number of requests of one webhook at a time. */
const maxInFlight = 16
/** The maximum number of facts that are read ahead of the cursor. */
const maxAhead = 1_000
/** A webhook is paused when its receiver has failed for this time, in milliseconds. */
const failingMs = 259_200_000
/** The pause after a query that the read model refused, in milliseconds. */
const modelPauseMs = 1_000
/** The longest sleep without new facts, in milliseconds. */
const idleMs = 60_000
/** The time that a stop waits for requests in flight, in milliseconds. */
const graceMs = 1_000

/** The reason why a webhook must be paused. */
export type PauseCause = 'gone' | 'failing' | 'position_unknown'

/**
 * Delivers the facts of one webhook: reads the facts that its filter matches, and sends each fact until the
 * receiver has accepted it.
 *
 * - The facts of one entity are sent in order, one at a time. `Lanes` keeps the order.
 * - When the receiver refuses a fact, only the facts of its entity wait. When the receiver cannot be reached or
 * asks to wait, the whole webhook waits. One request at a time is then sent, until the receiver replies.
 * - Only the positions and ids of facts are kept in memory. Each attempt reads the content of its fact again.
 */
export class Delivery {
  private readonly loop: BackgroundLoop
  private readonly sending = new AbortController()
  private readonly inFlight = new Set<Promise<void>>()
  private readonly lanes = new Lanes()
  private readonly hold = new ReceiverHold()
  /** All facts up to this fact are delivered. */
  private cursor: Checkpoint
  /** The last fact that was read from the log. */
  private readTo: Checkpoint
  private readsAt = 0
  /** The number of rebuilds of the read model when the cursor was last compared with the store. */
  private verifiedBuilds: number | undefined
  /** The failure that the previous sending process recorded. Undefined after the first delivery. */
  private earlier: Failing | undefined
  private lastFailure: Omit<Failing, 'since'> | undefined
  private delivered: RecordedProgress['delivered']
  private unwatch: () => void = () => undefined
  /** Set once this webhook must be paused. Nothing is sent after that. */
  pauseCause: PauseCause | undefined

  /** A caller may replace `webhook` by a definition with an equal version and an equal start. */
  constructor(
    private readonly parts: DeliveryParts,
    public webhook: Webhook,
    recorded: RecordedProgress | undefined,
  ) {
    this.loop = new BackgroundLoop(parts.pause)
    const { start } = webhook
    const own = recorded?.start === start.setBy ? recorded : undefined
    const { position, fact } = own ?? start
    this.cursor = { position: Number(position), id: fact }
    this.readTo = this.cursor
    this.earlier = own?.failing
    this.lastFailure = own?.failing
    this.delivered = own?.delivered
  }

  start(): void {
    this.unwatch = this.parts.model.watch(() => {
      if (this.hasNews()) this.loop.wake()
    })
    this.loop.start(() => this.step())
  }

  /** Stops sending. Requests in flight get a second to end. If `isAtOnce` is true, they are aborted at once. */
  async stop(isAtOnce = false): Promise<void> {
    this.unwatch()
    await this.loop.stop()
    if (!isAtOnce && this.inFlight.size > 0) {
      const settled = new AbortController()
      const all = Promise.allSettled(this.inFlight).then(() => {
        settled.abort()
      })
      await Promise.race([all, this.parts.pause(graceMs, settled.signal)])
    }
    this.sending.abort()
    await Promise.allSettled(this.inFlight)
  }

  get progress(): RecordedProgress {
    const { cursor, failing, delivered, webhook } = this
    return {
      webhook: webhook.key,
      start: webhook.start.setBy,
      position: String(cursor.position),
      fact: cursor.id,
      ...(failing === undefined ? {} : { failing }),
      ...(delivered === undefined ? {} : { delivered }),
    }
  }

  /** The failure of the receiver. `since` is the time of the earliest failure of a fact that is not delivered yet. */
  get failing(): Failing | undefined {
    const all = [this.earlier?.since, this.hold.since, this.lanes.failingSince]
    const [since] = all.flatMap((one) => one ?? []).toSorted()
    if (since === undefined || this.lastFailure === undefined) return undefined
    return { ...this.lastFailure, since }
  }

  private hasNews(): boolean {
    const { applied, builds } = this.parts.model.status
    return applied.position > this.readTo.position || builds !== this.verifiedBuilds
  }

  /** Reads facts, and sends the facts that are due. Returns the pause until the next step, in milliseconds. */
  private async step(): Promise<number> {
    if (this.pauseCause !== undefined) return idleMs
    if (this.canRead()) await this.readUnlessItFails()
    if (this.hasFailedForLong()) this.pauseCause = 'failing'
    this.dispatch()
    return this.sleepMs()
  }

  private canRead(): boolean {
    const hasRoom = this.lanes.size <= maxAhead - pageSize
    return hasRoom && this.parts.now() >= this.readsAt && this.hasNews()
  }

  private async readUnlessItFails(): Promise<void> {
    try {
      if (await this.verifyCursor()) await this.read()
    } catch (error) {
      this.readsAt = this.parts.now() + modelPauseMs
      this.report(error)
    }
  }

  /**
   * Compares the cursor with the store, at the start and after each rebuild of the read model. Returns whether
   * the store has the fact at the cursor.
   */
  private async verifyCursor(): Promise<boolean> {
    const { builds } = this.parts.model.status
    if (builds === this.verifiedBuilds) return true
    if (!(await this.isInStore(this.cursor))) {
      this.pauseCause = 'position_unknown'
      return false
    }
    this.verifiedBuilds = builds
    return true
  }

  private async isInStore({ position, id }: Checkpoint): Promise<boolean> {
    if (position === 0) return true
    try {
      const want = { position, waitMs: modelPauseMs }
      const { value } = await this.parts.model.query('factAt', { position }, want)
      // An empty id means that the position was not checked, or that the fact was erased.
      return id === '' || value?.id === '' || value?.id.startsWith(id) === true
    } catch (error) {
      if (isRefused(error, 'position_unknown')) return false
      throw error
    }
  }

  private async read(): Promise<void> {
    const { pages } = this.parts
    const { facts, reached } = await pages.after(this.readTo.position, this.webhook.filter)
    if (reached.position <= this.readTo.position) return
    this.readTo = reached
    for (const fact of facts) this.lanes.add(fact)
    if (this.lanes.size === 0) this.cursor = this.readTo
  }

  private hasFailedForLong(): boolean {
    const { failing } = this
    if (failing === undefined) return false
    return this.parts.clock.now().getTime() - Date.parse(failing.since) >= failingMs
  }

  private dispatch(): void {
    const now = this.parts.now()
    if (this.pauseCause !== undefined || !this.parts.maySend() || now < this.hold.until) return
    const most = this.hold.isProbing ? 1 : maxInFlight
    while (this.inFlight.size < most) {
      const next = this.lanes.take(now)
      if (next === undefined) return
      const sent = this.send(next.lane, next.item).finally(() => {
        this.inFlight.delete(sent)
        this.loop.wake()
      })
      this.inFlight.add(sent)
    }
  }

  /** Returns the time until the next read or the next request. The end of a request wakes the loop. */
  private sleepMs(): number {
    const now = this.parts.now()
    if (this.canRead()) return 0
    const readsIn = this.hasNews() && this.readsAt > now ? this.readsAt - now : idleMs
    const sendsIn = Math.max(this.hold.until, this.lanes.nextDue(now)) - now
    return Math.min(idleMs, readsIn, sendsIn > 0 ? Math.max(1, sendsIn) : idleMs)
  }

  private async send(lane: Lane, item: LaneItem): Promise<void> {
    const begun = this.parts.now()
    const { signal } = this.sending
    let result: SendResult
    try {
      result = await sendFact(this.parts, this.webhook, item.fact, signal)
    } catch (error) {
      result = { kind: 'postponed' }
      this.report(error)
    }
    // An aborted request is neither a success nor a failure of the receiver.
    if (!signal.aborted || result.kind === 'replied') this.settle(lane, item, result, begun)
  }

  private settle(lane: Lane, item: LaneItem, result: SendResult, begun: number): void {
    switch (result.kind) {
      case 'skipped':
        this.finish(lane, item)
        return
      case 'postponed':
        this.lanes.delay(lane, this.parts.now() + modelPauseMs)
        return
      case 'unreachable':
        this.lastFailure = { error: result.error }
        this.holdAll(lane, begun)
        return
      case 'replied':
        if (isDelivered(result)) this.accepted(lane, item, result.status)
        else this.refused(lane, result, begun)
    }
  }

  private accepted(lane: Lane, item: LaneItem, status: number): void {
    this.hold.release()
    this.delivered = { at: this.timestamp(), status }
    this.finish(lane, item)
  }

  private refused(
    lane: Lane,
    { status, retryAfterMs }: Extract<SendOutcome, { kind: 'replied' }>,
    begun: number,
  ): void {
    this.lastFailure = { status, error: `status ${String(status)}` }
    if (status === 429 || retryAfterMs !== undefined) {
      this.holdAll(lane, begun, retryAfterMs)
      return
    }
    this.hold.release()
    if (status === 410) this.pauseCause = 'gone'
    lane.failedSince ??= this.timestamp()
    this.lanes.delay(lane, this.parts.now() + this.jittered(lane.backOff.take()))
  }

  private holdAll(lane: Lane, begun: number, retryAfterMs?: number): void {
    const now = this.parts.now()
    this.lanes.delay(lane, now)
    const jitter = (pauseMs: number) => this.jittered(pauseMs)
    this.hold.hold({ begun, now, timestamp: this.timestamp(), retryAfterMs, jitter })
  }

  private finish(lane: Lane, item: LaneItem): void {
    const passed = this.lanes.finish(lane, item)
    if (passed !== undefined) {
      this.cursor = { position: passed.position, id: passed.id }
      this.earlier = undefined
    }
    if (this.lanes.size === 0) this.cursor = this.readTo
  }

  /** Adds a random part of up to a quarter, so that a receiver does not get all retries at the same time. */
  private jittered(pauseMs: number): number {
    return pauseMs + this.parts.random() * (pauseMs / 4)
  }

  private report(error: unknown): void {
    if (!isRefused(error, 'read_model_behind', 'overloaded')) this.parts.failed(error)
  }

  private timestamp(): string {
    return timestampOf(this.parts.clock.now())
  }
}
