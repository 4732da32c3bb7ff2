/** Times in milliseconds, of which shares are asked. */
export class Latencies {
  private readonly times: number[] = []

  add(ms: number): void {
    this.times.push(ms)
  }

  get count(): number {
    return this.times.length
  }

  /** The time that this share of all stayed below; 0 when there is none. */
  at(share: number): number {
    const sorted = Float64Array.from(this.times).sort()
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }
}
