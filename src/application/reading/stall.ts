import type { Log } from '../ports/log.js'

/**
 * Keeps the reason why no new facts are applied. Logs a reason when it changes, and logs it again
 * only if facts were applied since.
 */
export class Stall {
  private own: string | undefined
  private logged: string | undefined

  /** `ofProjections` returns `Projections.trouble`. */
  constructor(
    private readonly log: Log,
    private readonly ofProjections: () => string | undefined,
  ) {}

  /** The reason, or undefined while the read model applies new facts. */
  get reason(): string | undefined {
    return this.own ?? this.ofProjections()
  }

  setReason(reason: string): void {
    this.own = reason
    if (reason === this.logged) return
    this.logged = reason
    this.log.warn({ reason }, 'the read model applies no new facts and tries again')
  }

  end(): void {
    this.own = undefined
    if (this.reason === undefined) this.logged = undefined
  }
}
