import { BackgroundLoop, type Pause } from '../background-loop.js'
import type { Clock } from '../ports/clock-and-ids.js'
import type { Log } from '../ports/log.js'
import type { ReadModel } from './ports/read-model.js'

interface LogTimeWatchOptions {
  readonly clock: Clock
  readonly log: Log
  readonly pause: Pause
}

const checkEveryMs = 10_000

/**
 * Logs a warning when the clock of this process lags behind log time: the clock was set back, or it
 * was ahead when facts were stored. Used for stores that have no clock. Requests are not refused,
 * but log time stands still until the clock has caught up. The first check runs when the read model
 * is complete, and further checks follow every 10 s.
 */
export class LogTimeWatch {
  private readonly loop: BackgroundLoop
  private unwatch: () => void = () => undefined
  private isBehind = false

  constructor(
    private readonly readModel: Pick<ReadModel, 'status' | 'watch'>,
    private readonly options: LogTimeWatchOptions,
  ) {
    this.loop = new BackgroundLoop(options.pause)
  }

  /** The lag of this process's clock behind log time, in milliseconds. 0 when the clock does not lag. */
  get behindMs(): number {
    return Math.max(0, this.readModel.status.logTime - this.options.clock.now().getTime())
  }

  /** Starts the checks. Call it once. */
  start(): void {
    this.unwatch = this.readModel.watch(() => {
      if (!this.readModel.status.isBuilding) this.loop.wake()
    })
    this.loop.start(() => {
      this.compareClock()
      return checkEveryMs
    })
  }

  async stop(): Promise<void> {
    this.unwatch()
    await this.loop.stop()
  }

  /**
   * Compares the clock with log time. Does nothing during a rebuild, because log time is too low
   * until the rebuild is complete.
   */
  private compareClock(): void {
    if (this.readModel.status.isBuilding) return
    this.unwatch()
    const { behindMs } = this
    if (behindMs > 0 && !this.isBehind) {
      this.options.log.warn(
        { behindSeconds: behindMs / 1_000 },
        'the clock is behind the latest fact: log time stands still until the clock has caught up',
      )
    }
    if (behindMs === 0 && this.isBehind) {
      this.options.log.info({}, 'the clock has caught up with the latest fact')
    }
    this.isBehind = behindMs > 0
  }
}
