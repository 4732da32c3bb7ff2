import { BackOff } from '../background-loop.js'
import { readFact, toStored } from '../facts/fact-format.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import {
  noRevision,
  type ExactAppend,
  type ExactReceipt,
  type LastFactReader,
  type StreamFact,
} from '../ports/exact-appends.js'
import { timestampOf } from '../../domain/timestamp.js'
import {
  webhookProgressStream,
  type RecordedProgress,
  type WebhookProgressRecorded,
} from '../../domain/webhooks/webhook-facts.js'

export interface SenderClaimParts {
  readonly store: LastFactReader
  readonly clock: Clock
  readonly ids: IdGenerator
  /** The time in milliseconds on a clock that never jumps. */
  readonly now: () => number
  /** Whether several processes may use the store. Otherwise this process alone may send. */
  readonly isShared: boolean
}

/** The time for which this process may send after an acknowledged append, in milliseconds. */
const sendsForMs = 90_000
/** Another process may claim when no progress fact has arrived for this time, in milliseconds. */
const claimsAfterMs = 150_000
/**
 * The shortest and the longest time between two progress facts, in milliseconds. After a claim, the time
 * doubles with each fact. A process that crashes again and again after less than a minute therefore still
 * records some progress.
 */
const shortestRecordMs = 5_000
const longestRecordMs = 60_000
/** The time between two reads of the stream by a process that does not send, in milliseconds. */
const readEveryMs = 2_000

interface Seen {
  readonly revision: number
  readonly progress: WebhookProgressRecorded['data'] | undefined
  /** The time at which this process first saw the fact, on the clock of `now`. */
  readonly seenAt: number
}

/** Appends at an expected revision. Resolves with undefined when another process has appended first. */
type Append = (append: ExactAppend) => Promise<ExactReceipt | undefined>

/**
 * Decides which process sends. To claim the right to send, a process appends a fact at the revision that it has
 * read, so that only one process succeeds. Each further progress fact renews the claim. The expected revision
 * cannot stop requests that are being sent. The sender therefore stops sending well before another process may
 * claim.
 */
export class SenderClaim {
  private readonly sender: string
  private seen: Seen | undefined
  private readAt = -Infinity
  private recordsAt = -Infinity
  private readonly pauses = new BackOff(shortestRecordMs, longestRecordMs)
  private isClaimed = false
  /** The time until which this process may send. */
  private sendsUntil = -Infinity
  /** The progress in the last fact that this process recorded. */
  private recorded: readonly RecordedProgress[] = []

  constructor(private readonly parts: SenderClaimParts) {
    this.sender = parts.ids.next()
  }

  /** Whether this process may send now. A claim that is not renewed expires. */
  get isSender(): boolean {
    return this.isClaimed && this.parts.now() < this.sendsUntil
  }

  /** The recorded progress that this process has read last. */
  get progress(): readonly RecordedProgress[] {
    return this.seen?.progress?.webhooks ?? []
  }

  /** Reads the last progress fact, unless it was read less than two seconds ago or `isForced` is true. */
  async read(isForced = false): Promise<void> {
    const { now, store } = this.parts
    if (!isForced && now() - this.readAt < readEveryMs) return
    const stored = await store.readLast(webhookProgressStream)
    this.readAt = now()
    const revision = stored?.revision ?? noRevision
    if (this.seen?.revision === revision) return
    this.seen = { revision, progress: stored && progressIn(stored), seenAt: this.readAt }
  }

  /** Claims the right to send, if no other process has it. Returns whether this process may send. */
  async claim(append: Append): Promise<boolean> {
    const { isShared } = this.parts
    await this.read(this.seen === undefined)
    if (!isShared) {
      this.isClaimed = true
      this.sendsUntil = Infinity
      this.recorded = this.progress
      this.pauses.reset()
      this.scheduleRecord(this.parts.now())
      return true
    }
    this.pauses.reset()
    if (!this.isFree() || !(await this.append(append, 'sending', this.progress))) return false
    this.isClaimed = true
    return true
  }

  /** Records the progress, if it is due. Returns false when another process has claimed. */
  async record(append: Append, progress: readonly RecordedProgress[]): Promise<boolean> {
    if (this.parts.now() < this.recordsAt) return true
    if (!this.parts.isShared && !haveMoved(this.recorded, progress)) return true
    if (await this.append(append, 'sending', progress)) return true
    // Continues if the stored fact is a fact of this process: an earlier append was stored, although the store had not
    // answered.
    return this.seen?.progress?.sender === this.sender
  }

  /** Ends the claim without a fact, because another process has claimed or the claim has expired. */
  abandon(): void {
    this.isClaimed = false
  }

  /** Ends the claim, and records the progress for the next sender. */
  async release(append: Append, progress: readonly RecordedProgress[]): Promise<void> {
    const wasClaimed = this.isClaimed
    this.isClaimed = false
    if (!wasClaimed) return
    if (!this.parts.isShared && !haveMoved(this.recorded, progress)) return
    await this.append(append, 'released', progress)
  }

  private scheduleRecord(now: number): void {
    this.recordsAt = now + this.pauses.take()
  }

  private isFree(): boolean {
    if (this.seen?.progress === undefined) return true
    const { progress, seenAt } = this.seen
    const isOver = this.parts.now() - seenAt >= claimsAfterMs
    return progress.state === 'released' || progress.sender === this.sender || isOver
  }

  private async append(
    append: Append,
    state: 'sending' | 'released',
    webhooks: readonly RecordedProgress[],
  ): Promise<boolean> {
    const { clock, ids, now } = this.parts
    const begun = now()
    const revision = this.seen?.revision ?? noRevision
    const data = { sender: this.sender, state, webhooks, at: timestampOf(clock.now()) }
    const fact: WebhookProgressRecorded = { id: ids.next(), type: 'WebhookProgressRecorded', data }
    const stored = toStored(fact, { requestId: ids.next(), keyHash: undefined })
    let receipt: ExactReceipt | undefined
    try {
      receipt = await append({ stream: webhookProgressStream, revision, facts: [stored] })
    } catch (error) {
      // Reads again before the next attempt, because the fact may be stored.
      this.readAt = -Infinity
      throw error
    }
    if (receipt === undefined) {
      await this.read(true)
      return false
    }
    this.seen = { revision: receipt.revision, progress: data, seenAt: begun }
    this.recorded = webhooks
    this.scheduleRecord(begun)
    // Counts from before the append: another process may have seen the fact before the store answered.
    this.sendsUntil = this.parts.isShared ? begun + sendsForMs : Infinity
    return true
  }
}

function progressIn(stored: StreamFact): WebhookProgressRecorded['data'] | undefined {
  const fact = readFact(stored)
  return fact?.type === 'WebhookProgressRecorded' ? fact.data : undefined
}

/** The number of skipped facts after which a webhook's progress is recorded. */
const maxSkipped = 1_000

/**
 * Returns whether the progress must be recorded: something was delivered, a receiver failed or works again, or
 * a webhook has skipped many facts. A progress fact is itself a fact that every webhook skips. If each move of
 * a cursor were recorded, the recording would never end.
 */
function haveMoved(
  before: readonly RecordedProgress[],
  after: readonly RecordedProgress[],
): boolean {
  return after.some(({ position, fact: _fact, ...rest }) => {
    const recorded = before.find(({ webhook }) => webhook === rest.webhook)
    if (recorded === undefined) return Number(position) > maxSkipped || rest.delivered !== undefined
    const { position: recordedPosition, fact: _recordedFact, ...others } = recorded
    const skipped = Math.abs(Number(position) - Number(recordedPosition))
    return skipped > maxSkipped || JSON.stringify(rest) !== JSON.stringify(others)
  })
}
