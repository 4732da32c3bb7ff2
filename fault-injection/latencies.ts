/** Latencies in milliseconds, with percentiles. */
export class Latencies {
  private readonly times: number[] = []

  add(ms: number): void {
    this.times.push(ms)
  }

  get count(): number {
    return this.times.length
  }

  /** Returns the percentile for a share between 0 and 1, in milliseconds. Returns 0 without latencies. */
  at(share: number): number {
    const sorted = Float64Array.from(this.times).sort()
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }
}
