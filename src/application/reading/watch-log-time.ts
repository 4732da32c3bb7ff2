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
 * Logs when our clock lags log time: our clock was set back, or was ahead when facts were stored. For stores
 * without a clock of their own to compare with. Nothing is refused: log time stands still until the clock has
 * caught up. Checks once after the read model is built, and then every 10 s.
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

  /** How far our clock lags the applied log time, in milliseconds. 0 when it does not. */
  get behindMs(): number {
    return Math.max(0, this.readModel.status.logTime - this.options.clock.now().getTime())
  }

  /** Call once. */
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

  /** Does nothing while the read model is built, because log time is still too low. */
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
