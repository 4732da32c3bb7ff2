/** How many seconds are looked back. */
export const seconds = 60

/** How many facts of each type came in each of the last seconds. */
export class Rates {
  private readonly counts = new Map<string, Map<number, number>>()

  /** `now`: milliseconds since 1970. */
  count(type: string, now: number): void {
    const second = Math.floor(now / 1_000)
    const its = this.counts.get(type) ?? new Map<number, number>()
    this.counts.set(type, its)
    its.set(second, (its.get(second) ?? 0) + 1)
    for (const old of its.keys()) {
      if (old > second - seconds) break
      its.delete(old)
    }
  }

  /** By type: its counts, the oldest second first. Types without a fact in this time are left out. */
  at(now: number): readonly { readonly type: string; readonly counts: readonly number[] }[] {
    const last = Math.floor(now / 1_000)
    return [...this.counts]
      .map(([type, its]) => ({
        type,
        counts: Array.from(
          { length: seconds },
          (_none, at) => its.get(last - seconds + 1 + at) ?? 0,
        ),
      }))
      .filter(({ counts }) => counts.some((count) => count > 0))
      .sort((one, other) => (one.type < other.type ? -1 : 1))
  }
}
