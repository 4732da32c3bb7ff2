import { Histogram, type Registry } from 'prom-client'
import type { Buckets } from './buckets.js'

type Labels = Readonly<Record<string, string>>

export interface HistogramForm {
  readonly name: string
  readonly help: string
  readonly bounds: readonly number[]
  readonly labelNames?: readonly string[]
}

interface Line {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/**
 * A histogram that counts nothing itself: at each scrape it reads buckets that are counted elsewhere. The
 * library lets a counter be set at a scrape (`collect`), but not a histogram.
 */
export class ReadHistogram extends Histogram {
  constructor(
    private readonly form: HistogramForm,
    private readonly read: () => Iterable<readonly [Labels, Buckets]>,
    registry: Registry,
  ) {
    const { name, help, bounds, labelNames = [] } = form
    super({ name, help, buckets: [...bounds], labelNames: [...labelNames], registers: [registry] })
  }

  /** Replaces the histogram's own method; the registry calls it when it writes the text. */
  getForPromString(): Promise<object> {
    const { name, help } = this.form
    const values = [...this.read()].flatMap(([labels, buckets]) => this.lines(labels, buckets))
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values })
  }

  private lines(labels: Labels, { counts, sum }: Buckets): readonly Line[] {
    const { name, bounds } = this.form
    let count = 0
    const buckets = [...bounds, '+Inf'].map((le, at) => {
      count += counts[at] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
}
