import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/**
 * Histogram buckets in seconds. The first bucket suits a reply from memory, and the last bucket
 * suits a reply at the timeout.
 */
const secondsOfWaiting = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/**
 * Adds metrics to a registry. Each scrape reads gauges and counters from their sources, in the order in which they
 * were added.
 */
export class Series {
  constructor(readonly registry: Registry) {}

  /** Adds a gauge. `read` returns undefined when the gauge has no value at the moment. */
  gauge(name: string, help: string, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        const value = read()
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  }

  counter(name: string, help: string, read: () => number): void {
    this.counters(name, help, [], () => [[{}, read()]])
  }

  /** Adds a counter for each set of labels. */
  counters<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => Iterable<readonly [Record<Label, string | number>, number]>,
  ): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [labels, count] of read()) this.inc(labels, count)
      },
    })
  }

  histogram<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    buckets = secondsOfWaiting,
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] })
  }
}
