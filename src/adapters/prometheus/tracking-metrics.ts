import { Counter, type Registry } from 'prom-client'
import {
  trackedOutcomes,
  type TrackedOutcome,
  type TrackingObserver,
} from '../http/ports/observers.js'

/** Items of Segment's protocol, and times of theirs that were after their receipt. */
export class TrackingMetrics implements TrackingObserver {
  private readonly items = new Map<string, Map<TrackedOutcome, number>>()
  private clipped = 0

  constructor(registry: Registry) {
    const items = this.items
    new Counter({
      name: 'dossier_tracked_items_total',
      help: "Items of Segment's protocol, by what became of them.",
      labelNames: ['type', 'outcome'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [type, counts] of items) {
          for (const [outcome, count] of counts) this.inc({ type, outcome }, count)
        }
      },
    })
    const clipped = () => this.clipped
    new Counter({
      name: 'dossier_tracked_clipped_times_total',
      help: "Events of Segment's protocol whose time was after their receipt, which took its place.",
      registers: [registry],
      collect() {
        this.reset()
        this.inc(clipped())
      },
    })
  }

  /** Each outcome of a type is counted from 0 on once the type was seen. */
  item(type: string, outcome: TrackedOutcome): void {
    const counts = this.items.get(type) ?? new Map(trackedOutcomes.map((known) => [known, 0]))
    this.items.set(type, counts)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }

  clippedTime(): void {
    this.clipped += 1
  }
}
