/**
 * Resources to end, in reverse order of their creation. The scope closes once: at the end of a row or run, or after an
 * interruption. A resource that is added later is ended immediately.
 */
export class Scope {
  private readonly endings: (() => Promise<void>)[] = []
  private closing: Promise<void> | undefined

  get isClosing(): boolean {
    return this.closing !== undefined
  }

  /** Adds a resource. `end` may be called when the resource has already ended. */
  async own(end: () => Promise<void>): Promise<void> {
    if (this.closing === undefined) this.endings.push(end)
    else await end()
  }

  /** Ends all resources, even if one fails. Then throws the first failure. */
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
