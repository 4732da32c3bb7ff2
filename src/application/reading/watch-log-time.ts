import type { Clock } from '../ports/clock.js'
import type { Log } from '../ports/log.js'
import type { ReadModel } from './ports/read-model.js'

export interface LogTimeWatchOptions {
  readonly clock: Clock
  readonly log: Log
  /** Resolves after the milliseconds, or as soon as the signal is given. Never rejects. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

const lookEveryMs = 10_000

/**
 * Logs when our clock is behind log time: it was set back, or had been ahead when facts were stored.
 * For a store without a clock of its own to compare with. Nothing is refused: log time stands until the
 * clock has caught up. Looks once the read model has been built, and every 10 s.
 */
export class LogTimeWatch {
  private readonly stopping = new AbortController()
  private running: Promise<void> | undefined
  private isBehind = false

  constructor(
    private readonly readModel: Pick<ReadModel, 'status' | 'watch'>,
    private readonly options: LogTimeWatchOptions,
  ) {}

  /** By how much the clock is behind log time as far as it is applied, in milliseconds; else 0. */
  get behindMs(): number {
    return Math.max(0, this.readModel.status.logTime - this.options.clock.now().getTime())
  }

  /** To be called once. */
  start(): void {
    this.running = this.run()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    await this.built(signal)
    while (!signal.aborted) {
      this.look()
      await this.options.pause(lookEveryMs, signal)
    }
  }

  private built(signal: AbortSignal): Promise<void> {
    if (!this.readModel.status.isBuilding) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        unwatch()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const unwatch = this.readModel.watch(() => {
        if (!this.readModel.status.isBuilding) done()
      })
      signal.addEventListener('abort', done)
    })
  }

  /** While the read model is built, log time is too low. */
  private look(): void {
    if (this.readModel.status.isBuilding) return
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
