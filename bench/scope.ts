/**
 * What has to be ended, last come first. Closed once, at the end of a row or of the run, or when the
 * run is interrupted; what comes too late is ended at once.
 */
export class Scope {
  private readonly endings: (() => Promise<void>)[] = []
  private closing: Promise<void> | undefined

  get isClosing(): boolean {
    return this.closing !== undefined
  }

  /** `end` may be called when the thing has ended already. */
  async own(end: () => Promise<void>): Promise<void> {
    if (this.closing === undefined) this.endings.push(end)
    else await end()
  }

  /** Ends everything, even when one of them fails; then throws the first failure. */
  close(): Promise<void> {
    this.closing ??= this.endAll()
    return this.closing
  }

  private async endAll(): Promise<void> {
    const failures: unknown[] = []
    for (const end of this.endings.toReversed()) {
      await end().catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}
