import type { Log } from '../ports/log.js'

/** Why the read model does not go on. The log says each reason once, until the read model goes on. */
export class Stall {
  private own: string | undefined
  private logged: string | undefined

  /** `ofProjections`: see `Projections.trouble`. */
  constructor(
    private readonly log: Log,
    private readonly ofProjections: () => string | undefined,
  ) {}

  get reason(): string | undefined {
    return this.own ?? this.ofProjections()
  }

  because(reason: string): void {
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
