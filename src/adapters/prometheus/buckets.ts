/**
 * The counts of a histogram's buckets, as plain numbers. An observation takes 20 ns; the library's takes
 * 230–500 ns, because it hashes the labels each time. The library reads them at each scrape.
 */
export class Buckets {
  /** `counts[i]`: observations up to bound i and above the bound before it; the last: above all bounds. */
  readonly counts: number[]
  sum = 0

  /** `bounds` in ascending order. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let at = 0
    while (value > (this.bounds[at] ?? Infinity)) at += 1
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += value
  }
}

/** Seconds, from a reply out of memory to one that waited for the store until its time was up. */
export const secondsOfWaiting = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
