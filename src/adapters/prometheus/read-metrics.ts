import type { Histogram } from 'prom-client'
import type { QueryName, ReadModel } from '../../application/reading/ports/read-model.js'
import type { Series } from './series.js'

/** `segmentMembers` is `segment_members`: labels are written as the names of metrics are. */
function labelOf(name: QueryName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export class ReadMetrics {
  private readonly seconds: Histogram<'query'>

  constructor(series: Series) {
    this.seconds = series.histogram(
      'dossier_read_duration_seconds',
      'From a question to the read model to its answer or refusal, waiting included.',
      ['query'],
    )
  }

  /** The same read model, with its answers counted. `closing` is called before it closes. */
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
  /** When a position as high as this was first seen, on the clock of `performance.now`. */
  readonly at: number
}

/** An hour of looks at the log, when each finds new facts and none is applied. */
const maxMarks = 3_600

/**
 * How long facts wait to be applied. It notes where the log ends each time that it looks; what lies
 * between two looks counts as seen at the later one.
 */
export class ReadLag {
  /** In the order of positions; all of them beyond what is applied. */
  private marks: Mark[] = []

  constructor(private readonly progress: () => LogProgress) {}

  /** To be called about once a second. */
  sampleProgress(): void {
    const { reached, newest } = this.progress()
    // A store that was restored has fewer positions than it had.
    this.marks = this.marks.filter(({ position }) => position > reached && position <= newest)
    const last = this.marks.at(-1)
    if (newest <= (last?.position ?? reached)) return
    if (last === undefined || this.marks.length < maxMarks) {
      this.marks.push({ position: newest, at: performance.now() })
      return
    }
    // The lag of the newest facts is then shown too long rather than too short.
    this.marks.splice(-1, 1, { position: newest, at: last.at })
  }

  /** How long the oldest fact has waited that was seen and is not applied, to about a second; else 0. */
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
