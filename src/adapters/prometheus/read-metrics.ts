import { Histogram, type Registry } from 'prom-client'
import type { QueryName, ReadModel } from '../../application/reading/ports/read-model.js'
import { secondsOfWaiting } from './request-metrics.js'

/** `segmentMembers` is `segment_members`: labels are written as the names of metrics are. */
function labelOf(name: QueryName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The queries of the read model. */
export class ReadMetrics {
  private readonly seconds: Histogram<'query'>

  constructor(registry: Registry) {
    this.seconds = new Histogram({
      name: 'dossier_read_duration_seconds',
      help: 'From a question to the read model to its answer or refusal, waiting included.',
      buckets: secondsOfWaiting,
      labelNames: ['query'],
      registers: [registry],
    })
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
