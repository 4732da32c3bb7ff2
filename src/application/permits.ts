/** So many may work at once; the others wait, first come, first served. */
export class Permits {
  private readonly waiting: (() => void)[] = []

  constructor(private free: number) {}

  /** How many wait. */
  get queued(): number {
    return this.waiting.length
  }

  /** Undefined when there is nothing to wait for. */
  take(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1
      return undefined
    }
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  giveBack(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.free += 1
    else next()
  }
}
