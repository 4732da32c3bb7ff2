import type { Histogram } from 'prom-client'
import type { QueryName, ReadModel } from '../../application/reading/ports/read-model.js'
import type { Series } from './series.js'

/** Converts the name of a query to a metric label in snake case: `segmentMembers` becomes `segment_members`. */
function labelOf(name: QueryName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export class ReadMetrics {
  private readonly seconds: Histogram<'query'>

  constructor(series: Series) {
    this.seconds = series.histogram(
      'dossier_read_duration_seconds',
      'Duration of a query of the read model until its answer or refusal, including waiting.',
      ['query'],
    )
  }

  /**
   * Returns the read model, with its queries counted. Calls `closing` before the read model closes.
   */
  counting(model: ReadModel, closing: () => void): ReadModel {
    return {
      query: async (name, query, want) => {
        const begun = performance.now()
        try {
          return await model.query(name, query, want)
        } finally {
          this.seconds.observe({ query: labelOf(name) }, (performance.now() - begun) / 1_000)
        }
      },
      get status() {
        return model.status
      },
      watch: (listener) => model.watch(listener),
      close: () => {
        closing()
        return model.close()
      },
    }
  }
}

interface LogProgress {
  readonly reached: number
  readonly newest: number
}

interface Mark {
  readonly position: number
  /** The time at which this position was first seen, by `performance.now`. */
  readonly at: number
}

/** The maximum number of marks: one mark per second for an hour in which no fact is applied. */
const maxMarks = 3_600

/**
 * Measures the time that facts wait until they are applied. Each sample records the newest position
 * of the log. So a fact counts as waiting from the first sample after the fact was stored.
 */
export class ReadLag {
  /**
   * The newest positions of earlier samples, in position order. All of them are after the applied
   * position.
   */
  private marks: Mark[] = []

  constructor(private readonly progress: () => LogProgress) {}

  /** Records the newest position. Call this method about once a second. */
  sampleProgress(): void {
    const { reached, newest } = this.progress()
    // Drops marks above the newest position. After a restore, the newest position can be lower than
    // before.
    this.marks = this.marks.filter(({ position }) => position > reached && position <= newest)
    const last = this.marks.at(-1)
    if (newest <= (last?.position ?? reached)) return
    if (last === undefined || this.marks.length < maxMarks) {
      this.marks.push({ position: newest, at: performance.now() })
      return
    }
    // Replaces the last mark, because the list of marks is full. The newest facts get the time of
    // that mark, so their lag is overestimated.
    this.marks.splice(-1, 1, { position: newest, at: last.at })
  }

  /**
   * The waiting time of the oldest unapplied fact in seconds, accurate to about a second. 0 when all facts are
   * applied.
   */
  get seconds(): number {
    this.sampleProgress()
    const oldest = this.marks[0]
    return oldest === undefined ? 0 : (performance.now() - oldest.at) / 1_000
  }

  get positions(): number {
    const { reached, newest } = this.progress()
    return Math.max(0, newest - reached)
  }
}
