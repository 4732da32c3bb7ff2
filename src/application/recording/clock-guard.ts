import { BackgroundLoop, type Pause } from '../background-loop.js'
import type { Clock } from '../ports/clock-and-ids.js'
import type { Log } from '../ports/log.js'
import type { StoreTime } from './ports/event-store.js'

/** Tells whether facts may be stored with the time of this process's clock. */
export interface ClockTrust {
  readonly isTrusted: boolean
}

/** Always trusts the clock. Used for stores without a clock to compare with. */
export const trustedClock: ClockTrust = { isTrusted: true }

interface ClockGuardOptions {
  readonly clock: Clock
  readonly log: Log
  readonly pause: Pause
}

/** The largest permitted difference between the two clocks, in milliseconds. */
const maxApartMs = 3_000

const compareEveryMs = 10_000

/**
 * The longest time between two comparisons by this process's clock, in milliseconds. After a longer time, the
 * clock has jumped.
 */
const longestGapMs = compareEveryMs + 2_000 + maxApartMs

/** The number of consecutive replies with the result `together` after which the clock is trusted again. */
const goodToRestore = 3

/**
 * Compares this process's clock with the store's clock, at the start and every 10 s. Facts are stored with this
 * process's time, and a wrong time can never be corrected.
 *
 * - A reply that proves that the clocks are apart ends the trust at once. Three consecutive replies that prove
 * that the clocks are together restore the trust.
 * - A reply that proves neither changes nothing. A missing reply changes nothing either, because a store that
 * cannot be reached refuses writes anyway.
 * - After a jump of this process's clock, the clock is not trusted until the next comparison. The clock jumps
 * when somebody sets it, or when the machine was suspended. Timers do not notice a jump, so `isTrusted` detects
 * it and starts the comparison.
 */
export class ClockGuard implements ClockTrust {
  private readonly loop: BackgroundLoop
  private trusted = true
  private goodInARow = 0
  /** The time of the last comparison on this process's clock, in milliseconds since 1970. */
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

  /** The estimated lead of this process's clock over the store's clock, in milliseconds. Undefined without a reply. */
  get offset(): number | undefined {
    return this.latestOffset
  }

  /** Starts the comparisons. Resolves after the first comparison, with or without a reply. Call it once. */
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
   * Requests a reply from the store. Returns undefined when the store does not reply. Reports no error, because
   * the callers of the store get the error too.
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

/** A reply of the store, with its date. All times are in milliseconds since 1970. */
interface DatedReply {
  /** The time when the request was sent, on this process's clock. */
  readonly sentAt: number
  /** The time when the reply arrived, on this process's clock. */
  readonly receivedAt: number
  /** The date in the reply, on the store's clock (`StoreTime.dateOfReply`). */
  readonly date: number
}

/** The maximum lead of the store's clock over the date in its reply, in milliseconds. */
const dateSpanMs = 1_999

/**
 * Returns the range of possible leads of this process's clock over the store's clock, in milliseconds. A
 * negative lead means that this clock lags. The store replied at some moment from `sentAt` to `receivedAt`. At
 * that moment, its clock showed a time from `date` to `date + 1,999`.
 */
function possibleOffsets({ sentAt, receivedAt, date }: DatedReply) {
  return { least: sentAt - (date + dateSpanMs), most: receivedAt - date }
}

/**
 * Compares the two clocks by one reply. Returns:
 * - `apart`: the clocks certainly differ by more than 3 s (`receivedAt + 3,000 < date`, or `sentAt − 3,000 >
 *   date + 1,999`).
 * - `together`: the clocks certainly differ by at most 3 s.
 * - `nothing`: both are possible. Slow replies, and clocks that differ by about 1 to 5 s, give this result.
 */
export function compareClocks(reply: DatedReply): 'apart' | 'together' | 'nothing' {
  const { least, most } = possibleOffsets(reply)
  if (least > maxApartMs || most < -maxApartMs) return 'apart'
  return least >= -maxApartMs && most <= maxApartMs ? 'together' : 'nothing'
}

/**
 * Returns the estimated lead of this process's clock over the store's clock, in milliseconds. The error of the
 * estimate is at most one second plus half the round trip.
 */
export function estimateOffset(reply: DatedReply): number {
  const { least, most } = possibleOffsets(reply)
  return (least + most) / 2
}
