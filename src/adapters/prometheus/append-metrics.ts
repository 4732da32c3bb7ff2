import type { Histogram } from 'prom-client'
import { Refusal } from '../../application/ports/refusal.js'
import type { Series } from './series.js'

/** The possible outcomes of an append. `failed` means a bug in this service. */
const outcomes = [
  'stored',
  'replayed',
  'stream_exists',
  'stream_removed',
  'stream_missing',
  'wrong_revision',
  'not_stored',
  'append_too_large',
  'store_unavailable',
  'overloaded',
  'outcome_unknown',
  'failed',
] as const
type Outcome = (typeof outcomes)[number]

interface Stored {
  readonly position: string
  readonly replayed?: boolean
}

/** Counts the appends to a store, and measures their duration. */
export class AppendMetrics {
  newestPosition = 0
  private inFlight = 0
  private readonly counts = new Map<Outcome, number>(outcomes.map((outcome) => [outcome, 0]))
  private readonly seconds: Histogram

  constructor(series: Series) {
    series.counters('dossier_appends_total', 'Appends to the store, by outcome.', ['outcome'], () =>
      [...this.counts].map(([outcome, count]) => [{ outcome }, count]),
    )
    series.gauge(
      'dossier_appends_in_flight',
      'Appends without an outcome yet.',
      () => this.inFlight,
    )
    this.seconds = series.histogram(
      'dossier_append_duration_seconds',
      'Duration of an append, whatever its outcome.',
    )
  }

  /** Resets the newest position after the store was replaced or restored. */
  forgetPosition(): void {
    this.newestPosition = 0
  }

  /**
   * Runs and counts an append. Returns the store's own promise, because awaiting it here would delay each append by
   * one tick.
   */
  count<R extends Stored>(append: () => Promise<R>): Promise<R> {
    const begun = performance.now()
    this.inFlight += 1
    const ended = (outcome: Outcome) => {
      this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1)
      this.inFlight -= 1
      this.seconds.observe((performance.now() - begun) / 1_000)
    }
    const appended = promised(append)
    appended.then(
      ({ replayed, position }) => {
        this.newestPosition = Math.max(this.newestPosition, Number(position))
        ended(replayed === true ? 'replayed' : 'stored')
      },
      (error: unknown) => {
        ended(outcomeOf(error))
      },
    )
    return appended
  }
}

/** Calls `append` and converts a synchronous exception to a rejection. */
function promised<R>(append: () => Promise<R>): Promise<R> {
  try {
    return append()
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new TypeError(String(error)))
  }
}

function outcomeOf(error: unknown): Outcome {
  return outcomes.find((one) => error instanceof Refusal && error.code === one) ?? 'failed'
}
