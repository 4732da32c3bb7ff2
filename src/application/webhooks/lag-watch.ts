import type { ReadStatus } from '../reading/ports/read-model.js'

/** Measures how long the read model has not reached a position that was already in the store. */
export class LagWatch {
  private mark: { readonly position: number; readonly at: number } | undefined

  constructor(
    private readonly status: () => Pick<
      ReadStatus,
      'reached' | 'newest' | 'isBuilding' | 'trouble'
    >,
    private readonly now: () => number,
  ) {}

  /** Returns the lag in milliseconds. Call it about once a second. */
  get ms(): number {
    const { reached, newest, isBuilding, trouble } = this.status()
    const now = this.now()
    const isBehind =
      isBuilding || trouble !== undefined || reached < (this.mark?.position ?? newest)
    if (!isBehind || this.mark === undefined) this.mark = { position: newest, at: now }
    return now - this.mark.at
  }
}
