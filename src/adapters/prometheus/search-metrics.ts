import {
  searchOutcomes,
  type SearchObserver,
  type SearchOutcome,
} from '../../application/reading/ports/search-observer.js'
import type { Series } from './series.js'

/** Counts the searches of entities. `dossier_read_duration_seconds` has the duration of their parts. */
export class SearchMetrics implements SearchObserver {
  private readonly counts = new Map<SearchOutcome, number>(
    searchOutcomes.map((outcome) => [outcome, 0]),
  )

  constructor(series: Series) {
    series.counters(
      'dossier_searches_total',
      'Searches of entities that have ended, by outcome.',
      ['outcome'],
      () => [...this.counts].map(([outcome, count]) => [{ outcome }, count]),
    )
  }

  ended(outcome: SearchOutcome): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1)
  }
}
