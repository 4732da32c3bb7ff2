import { BackgroundLoop, type Pause } from '../background-loop.js'
import type { Clock } from '../ports/clock-and-ids.js'
import type { Log } from '../ports/log.js'
import type { StoreTime } from './ports/event-store.js'

/** Whether facts may be stored under the time of this process's clock. */
export interface ClockTrust {
  readonly isTrusted: boolean
}

/** Where there is no clock to compare ours with. */
export const trustedClock: ClockTrust = { isTrusted: true }

interface ClockGuardOptions {
  readonly clock: Clock
  readonly log: Log
  readonly pause: Pause
}

/** By how much two clocks may differ, in milliseconds. */
const maxApartMs = 3_000

const compareEveryMs = 10_000

/** By our clock, more than this between two comparisons says that it jumped, in milliseconds. */
const longestGapMs = compareEveryMs + 2_000 + maxApartMs

/** Replies in a row that must show the clocks together before they are trusted again. */
const goodToRestore = 3

/**
 * Compares our clock with the store's, at the start and every 10 s. What is stored has our time, and a
 * time that has passed is never taken back: so a reply that proves the clocks apart ends the trust at
 * once, and three in a row that prove them together restore it. A reply that proves neither, or that
 * does not come, changes nothing: a store that is away refuses writes by itself. A timer does not notice
 * that the clock was set or the machine suspended: after a jump nothing is trusted until the clocks were
 * compared, which is done at the next call.
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

  /** By about how much our clock is ahead, in milliseconds; undefined until there was a reply. */
  get offset(): number | undefined {
    return this.latestOffset
  }

  /** Resolves when the first reply was judged, or did not come. To be called once. */
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

  /** Undefined when there was none. Who needs the store gets the error; here it proves nothing. */
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
    this.options.log.info({}, "this clock and the store's are together again: writes are taken")
  }
}

/** A reply of a store that says when it was made. All three are in milliseconds since 1970. */
interface DatedReply {
  /** Before the request, by our clock. */
  readonly sentAt: number
  /** When it was here, by our clock. */
  readonly receivedAt: number
  /** By the store's clock: `StoreTime.dateOfReply`. */
  readonly date: number
}

/** The store's clock may be ahead of the date of its reply by this many milliseconds. */
const dateSpanMs = 1_999

/**
 * By how many milliseconds our clock can be ahead of the store's; negative: behind it. The reply was made
 * at some instant from `sentAt` to `receivedAt`, at which the store's clock stood somewhere from `date` to
 * `date + 1,999`: all that lies between the two ends is possible, and nothing beyond them is.
 */
function possibleOffsets({ sentAt, receivedAt, date }: DatedReply) {
  return { least: sentAt - (date + dateSpanMs), most: receivedAt - date }
}

/**
 * What a reply proves of the two clocks:
 * - `apart`: by more than 3 s, for certain: `receivedAt + 3,000 < date`, or
 *   `sentAt − 3,000 > date + 1,999`
 * - `together`: by at most 3 s, for certain
 * - `nothing`: both are possible. So it is of a reply that took long, and of clocks that are 1 to 5 s
 *   apart, more or less, as the seconds fall
 */
export function compareClocks(reply: DatedReply): 'apart' | 'together' | 'nothing' {
  const { least, most } = possibleOffsets(reply)
  if (least > maxApartMs || most < -maxApartMs) return 'apart'
  return least >= -maxApartMs && most <= maxApartMs ? 'together' : 'nothing'
}

/** By about how much our clock is ahead, in milliseconds: off by a second, and by half of the wait. */
export function estimateOffset(reply: DatedReply): number {
  const { least, most } = possibleOffsets(reply)
  return (least + most) / 2
}
