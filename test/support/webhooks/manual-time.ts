/** A clock and pauses that move only when a test moves them. */
export class ManualTime {
  private at = 0
  private readonly sleepers = new Set<{ readonly due: number; readonly end: () => void }>()

  constructor(private readonly begin = Date.parse('2026-11-20T09:30:00.000Z')) {}

  /** The milliseconds since the test began. */
  readonly now = (): number => this.at

  readonly clock = { now: (): Date => new Date(this.begin + this.at) }

  readonly pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleeper = {
        due: this.at + milliseconds,
        end: () => {
          signal.removeEventListener('abort', sleeper.end)
          this.sleepers.delete(sleeper)
          resolve()
        },
      }
      if (signal.aborted) {
        resolve()
        return
      }
      signal.addEventListener('abort', sleeper.end)
      this.sleepers.add(sleeper)
    })

  /** Moves the clock, and ends the pauses that are over. */
  pass(milliseconds: number): void {
    this.at += milliseconds
    for (const sleeper of [...this.sleepers]) if (sleeper.due <= this.at) sleeper.end()
  }
}
