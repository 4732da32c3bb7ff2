import type { Log } from '../ports/log.js'

/** The reason why the read model makes no progress. Each reason is logged once, until there is progress again. */
export class Stall {
  private own: string | undefined
  private logged: string | undefined

  /** `ofProjections`: see `Projections.trouble`. */
  constructor(
    private readonly log: Log,
    private readonly ofProjections: () => string | undefined,
  ) {}

  /** Undefined while the read model makes progress. */
  get reason(): string | undefined {
    return this.own ?? this.ofProjections()
  }

  setReason(reason: string): void {
    this.own = reason
    if (reason === this.logged) return
    this.logged = reason
    this.log.warn({ reason }, 'the read model does not go on; it tries again')
  }

  end(): void {
    this.own = undefined
    if (this.reason === undefined) this.logged = undefined
  }
}
