import { BackgroundLoop, type Pause } from '../background-loop.js'
import type { Clock } from '../ports/clock-and-ids.js'
import type { Log } from '../ports/log.js'
import type { ReadModel } from './ports/read-model.js'

interface LogTimeWatchOptions {
  readonly clock: Clock
  readonly log: Log
  readonly pause: Pause
}

const lookEveryMs = 10_000

/**
 * Logs when our clock is behind log time: it was set back, or had been ahead when facts were stored.
 * For a store without a clock of its own to compare with. Nothing is refused: log time stands until the
 * clock has caught up. Looks once the read model has been built, and every 10 s.
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

  /** By how much the clock is behind log time as far as it is applied, in milliseconds; else 0. */
  get behindMs(): number {
    return Math.max(0, this.readModel.status.logTime - this.options.clock.now().getTime())
  }

  /** To be called once. */
  start(): void {
    this.unwatch = this.readModel.watch(() => {
      if (!this.readModel.status.isBuilding) this.loop.wake()
    })
    this.loop.start(() => {
      this.compareClock()
      return lookEveryMs
    })
  }

  async stop(): Promise<void> {
    this.unwatch()
    await this.loop.stop()
  }

  /** While the read model is built, log time is too low. */
  private compareClock(): void {
    if (this.readModel.status.isBuilding) return
    this.unwatch()
    const { behindMs } = this
    if (behindMs > 0 && !this.isBehind) {
      this.options.log.warn(
        { behindSeconds: behindMs / 1_000 },
        'the clock is behind the latest fact: log time stands until it has caught up',
      )
    }
    if (behindMs === 0 && this.isBehind) {
      this.options.log.info({}, 'the clock has caught up with the latest fact')
    }
    this.isBehind = behindMs > 0
  }
}
