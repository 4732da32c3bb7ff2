import { BackgroundLoop, type Pause } from '../background-loop.js'
import type { Clock } from '../ports/clock-and-ids.js'
import type { Log } from '../ports/log.js'
import type { StoreTime } from './ports/event-store.js'

/** Whether facts may be stored with the time of this process's clock. */
export interface ClockTrust {
  readonly isTrusted: boolean
}

/** For stores without a clock of their own. */
export const trustedClock: ClockTrust = { isTrusted: true }

interface ClockGuardOptions {
  readonly clock: Clock
  readonly log: Log
  readonly pause: Pause
}

/** The permitted difference between the two clocks. */
const maxApartMs = 3_000

const compareEveryMs = 10_000

/** A longer time between two comparisons, by our clock, means that our clock jumped. */
const longestGapMs = compareEveryMs + 2_000 + maxApartMs

/** The number of consecutive good replies after which the clock is trusted again. */
const goodToRestore = 3

/**
 * Compares our clock with the store's clock at the start and every 10 s. Facts are stored with our time, and
 * a wrong time can never be taken back.
 *
 * - A reply that proves the clocks apart ends the trust at once. Three consecutive replies that prove them
 *   together
 *   restore it.
 * - A reply that proves neither, and a missing reply, change nothing: an unreachable store refuses writes
 *   anyway.
 * - After a jump of our clock (set by hand, or the machine was suspended) nothing is trusted until the next
 *   comparison. Timers do not notice a jump, so `isTrusted` detects it and starts the comparison.
 */
export class ClockGuard implements ClockTrust {
  private readonly loop: BackgroundLoop
  private trusted = true
  private goodInARow = 0
  /** By our clock, in milliseconds since 1970. */
  private comparedAt = NaN
  private latestOffset: number | undefined

  constructor(
    private readonly store: StoreTime,
    private readonly options: ClockGuardOptions,
  ) {
    this.loop = new BackgroundLoop(options.pause)
  }

  get isTrusted(): boolean {
    const gapMs = this.options.clock.now().getTime() - this.comparedAt
    const hasJumped = gapMs < -maxApartMs || gapMs > longestGapMs
    if (hasJumped) this.loop.wake()
    return this.trusted && !hasJumped
  }

  /** Estimated lead of our clock over the store's, in milliseconds. Undefined before the first reply. */
  get offset(): number | undefined {
    return this.latestOffset
  }

  /** Resolves after the first comparison, with or without a reply. Call once. */
  async start(): Promise<void> {
    await this.compare()
    const compareAgain = async () => {
      await this.compare()
      return compareEveryMs
    }
    this.loop.start(compareAgain, compareEveryMs)
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async compare(): Promise<void> {
    const reply = await this.datedReply()
    this.comparedAt = this.options.clock.now().getTime()
    if (reply === undefined) return
    this.latestOffset = estimateOffset(reply)
    switch (compareClocks(reply)) {
      case 'apart':
        this.goodInARow = 0
        this.suspend(this.latestOffset)
        return
      case 'together':
        this.goodInARow += 1
        if (this.goodInARow >= goodToRestore) this.restore()
        return
      case 'nothing':
    }
  }

  /**
   * Undefined when the store does not reply. Callers of the store get its error, so it is not reported here.
   */
  private async datedReply(): Promise<DatedReply | undefined> {
    const { clock } = this.options
    const sentAt = clock.now().getTime()
    try {
      const date = await this.store.dateOfReply()
      return { sentAt, receivedAt: clock.now().getTime(), date }
    } catch {
      return undefined
    }
  }

  private suspend(offset: number): void {
    if (!this.trusted) return
    this.trusted = false
    this.options.log.error(
      { secondsAhead: Math.round(offset / 1_000), allowedSeconds: maxApartMs / 1_000 },
      "writes are refused: this clock and the store's are too far apart; synchronise them (NTP)",
    )
  }

  private restore(): void {
    if (this.trusted) return
    this.trusted = true
    this.options.log.info({}, "this clock and the store's agree again: writes are accepted")
  }
}

/** A dated reply of the store. All times are in milliseconds since 1970. */
interface DatedReply {
  /** When the request was sent, by our clock. */
  readonly sentAt: number
  /** When the reply arrived, by our clock. */
  readonly receivedAt: number
  /** The date in the reply, by the store's clock (`StoreTime.dateOfReply`). */
  readonly date: number
}

/** The most by which the store's clock can be ahead of the date in its reply. */
const dateSpanMs = 1_999

/**
 * The range of possible leads of our clock, in milliseconds. Negative when our clock lags. The store replied
 * at some instant from `sentAt` to `receivedAt`, when its clock showed a time from `date` to `date + 1,999`.
 */
function possibleOffsets({ sentAt, receivedAt, date }: DatedReply) {
  return { least: sentAt - (date + dateSpanMs), most: receivedAt - date }
}

/**
 * Judges the two clocks by a reply:
 * - `apart`: the clocks certainly differ by more than 3 s (`receivedAt + 3,000 < date`, or
 *   `sentAt − 3,000 > date + 1,999`).
 * - `together`: the clocks certainly differ by at most 3 s.
 * - `nothing`: both are possible. Slow replies, and clocks that differ by about 1 to 5 s, lead to this
 *   result.
 */
export function compareClocks(reply: DatedReply): 'apart' | 'together' | 'nothing' {
  const { least, most } = possibleOffsets(reply)
  if (least > maxApartMs || most < -maxApartMs) return 'apart'
  return least >= -maxApartMs && most <= maxApartMs ? 'together' : 'nothing'
}

/** Estimated lead of our clock in milliseconds. The error is up to one second plus half the round trip. */
export function estimateOffset(reply: DatedReply): number {
  const { least, most } = possibleOffsets(reply)
  return (least + most) / 2
}
