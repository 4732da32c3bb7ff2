import {
  timeReplacements,
  trackedOutcomes,
  type TimeReplacement,
  type TrackedOutcome,
  type TrackingObserver,
} from '../http/ports/observers.js'
import type { Series } from './series.js'

/** Metrics of tracked items, and of event times that were replaced by the time of receipt. */
export class TrackingMetrics implements TrackingObserver {
  private readonly items = new Map<string, Map<TrackedOutcome, number>>()
  private readonly replacedTimes = new Map<TimeReplacement, number>(
    timeReplacements.map((reason) => [reason, 0]),
  )

  constructor(series: Series) {
    series.counters(
      'dossier_tracked_items_total',
      "Items of Segment's protocol, by outcome.",
      ['type', 'outcome'],
      () => this.outcomes(),
    )
    series.counters(
      'dossier_tracked_clipped_times_total',
      "Events of Segment's protocol whose time was replaced by the time of receipt, by reason.",
      ['reason'],
      () => this.times(),
    )
  }

  private *outcomes() {
    for (const [type, counts] of this.items) {
      for (const [outcome, count] of counts) yield [{ type, outcome }, count] as const
    }
  }

  private *times() {
    for (const [reason, count] of this.replacedTimes) yield [{ reason }, count] as const
  }

  /**
   * Counts an item. The first item of a type sets all outcomes of this type to 0 before it is
   * counted.
   */
  item(type: string, outcome: TrackedOutcome): void {
    const counts = this.items.get(type) ?? new Map(trackedOutcomes.map((one) => [one, 0]))
    this.items.set(type, counts)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }

  replacedTime(reason: TimeReplacement): void {
    this.replacedTimes.set(reason, (this.replacedTimes.get(reason) ?? 0) + 1)
  }
}
