import {
  trackedOutcomes,
  type TrackedOutcome,
  type TrackingObserver,
} from '../http/ports/observers.js'
import type { Series } from './series.js'

/** Items of Segment's protocol, and times of theirs that were after their receipt. */
export class TrackingMetrics implements TrackingObserver {
  private readonly items = new Map<string, Map<TrackedOutcome, number>>()
  private clipped = 0

  constructor(series: Series) {
    series.counters(
      'dossier_tracked_items_total',
      "Items of Segment's protocol, by what became of them.",
      ['type', 'outcome'],
      () => this.outcomes(),
    )
    series.counter(
      'dossier_tracked_clipped_times_total',
      "Events of Segment's protocol whose time was after their receipt, which took its place.",
      () => this.clipped,
    )
  }

  private *outcomes() {
    for (const [type, counts] of this.items) {
      for (const [outcome, count] of counts) yield [{ type, outcome }, count] as const
    }
  }

  /** Each outcome of a type is counted from 0 on once the type was seen. */
  item(type: string, outcome: TrackedOutcome): void {
    const counts = this.items.get(type) ?? new Map(trackedOutcomes.map((one) => [one, 0]))
    this.items.set(type, counts)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }

  clippedTime(): void {
    this.clipped += 1
  }
}
