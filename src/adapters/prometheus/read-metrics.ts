import type { Registry } from 'prom-client'
import type { QueryName, ReadModel } from '../../application/reading/ports/read-model.js'
import { Buckets, secondsOfWaiting } from './buckets.js'
import { ReadHistogram } from './read-histogram.js'

/** What each question is called in the label. */
const labels: Readonly<Record<QueryName, string>> = {
  profile: 'profile',
  profileAt: 'profile_at',
  entities: 'entities',
  entityById: 'entity_by_id',
  timeline: 'timeline',
  history: 'history',
  facts: 'facts',
  keyed: 'keyed',
  factAt: 'fact_at',
  segments: 'segments',
  segment: 'segment',
  segmentVersions: 'segment_versions',
  segmentMembers: 'segment_members',
  entitySegments: 'entity_segments',
  explainSegment: 'explain_segment',
  evaluateRule: 'evaluate_rule',
  untold: 'untold',
}

/** What is asked of the read model. */
export class ReadMetrics {
  private readonly seconds = new Map<string, Buckets>()

  constructor(registry: Registry) {
    new ReadHistogram(
      {
        name: 'dossier_read_duration_seconds',
        help: 'From a question to the read model to its answer or refusal, waiting included.',
        bounds: secondsOfWaiting,
        labelNames: ['query'],
      },
      () => [...this.seconds].map(([query, buckets]) => [{ query }, buckets]),
      registry,
    )
  }

  /** The same read model, with its answers counted. `closing` is called before it closes. */
  counting(model: ReadModel, closing: () => void): ReadModel {
    return {
      ask: async (name, query, want) => {
        const begun = performance.now()
        try {
          return await model.ask(name, query, want)
        } finally {
          this.of(labels[name]).observe((performance.now() - begun) / 1_000)
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

  private of(query: string): Buckets {
    const known = this.seconds.get(query)
    if (known !== undefined) return known
    const buckets = new Buckets(secondsOfWaiting)
    this.seconds.set(query, buckets)
    return buckets
  }
}
