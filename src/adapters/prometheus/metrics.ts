// Metrics: this folder turns counts and durations into the text of `GET /metrics`. This file
// creates one object per subject (requests, appends, commits, reads, searches, tracking), and registers
// gauges through `series.ts`.
import { Gauge, Registry } from 'prom-client'
import type { Clock } from '../../application/ports/clock-and-ids.js'
import type { ReadModel } from '../../application/reading/ports/read-model.js'
import type { MetricsText } from '../http/ports/observers.js'
import { AppendMetrics } from './append-metrics.js'
import { CommitMetrics } from './commit-metrics.js'
import { showProcess } from './process-metrics.js'
import { showReadModel } from './read-model-metrics.js'
import { ReadMetrics } from './read-metrics.js'
import { RequestMetrics } from './request-metrics.js'
import { SearchMetrics } from './search-metrics.js'
import { Series } from './series.js'
import { TrackingMetrics } from './tracking-metrics.js'
import { showWebhooks, type WebhooksStatus } from './webhook-metrics.js'

interface MetricsOptions {
  readonly version: string
  readonly faultCodes: readonly string[]
  readonly maxInFlight: number
}

/** Holds all metrics of this process, and formats them for Prometheus. */
export class Metrics implements MetricsText {
  readonly requests: RequestMetrics
  readonly appends: AppendMetrics
  readonly tracking: TrackingMetrics
  readonly series = new Series(new Registry())

  constructor({ version, faultCodes, maxInFlight }: MetricsOptions) {
    const { series } = this
    this.requests = new RequestMetrics(series, faultCodes)
    this.appends = new AppendMetrics(series)
    this.tracking = new TrackingMetrics(series)
    series.gauge('dossier_appends_in_flight_limit', 'MAX_IN_FLIGHT.', () => maxInFlight)
    new Gauge({
      name: 'dossier_build_info',
      help: 'Always 1; the label has the version.',
      labelNames: ['version'],
      registers: [series.registry],
    }).set({ version }, 1)
    showProcess(series)
  }

  /** Adds the metrics of a store that performs its own commits. Call it at most once. */
  commits(): CommitMetrics {
    return new CommitMetrics(this.series)
  }

  /** Adds the metrics of searches. Call it at most once. */
  searches(): SearchMetrics {
    return new SearchMetrics(this.series)
  }

  /** Returns the read model, with its queries counted. Call it at most once. */
  reading(model: ReadModel): ReadModel {
    const end = showReadModel(model, this.series, this.appends)
    return new ReadMetrics(this.series).counting(model, end)
  }

  showErasures(
    worker: { readonly status: { readonly open: number; readonly oldest: string | undefined } },
    clock: Clock,
  ): void {
    this.series.gauge(
      'dossier_erasures_open',
      'Erasures that have not removed everything within reach of this service.',
      () => worker.status.open,
    )
    this.series.gauge(
      'dossier_erasure_oldest_seconds',
      'Age of the oldest open erasure; 0 when there is none.',
      () => {
        const { oldest } = worker.status
        return oldest === undefined ? 0 : (clock.now().getTime() - Date.parse(oldest)) / 1_000
      },
    )
  }

  showWebhooks(sender: { readonly status: WebhooksStatus }): void {
    showWebhooks(sender, this.series)
  }

  showClock(clock: { readonly isTrusted: boolean; readonly offset: number | undefined }): void {
    this.series.gauge(
      'dossier_clock_trusted',
      "1; 0 while writes are refused because this clock and the store's are too far apart.",
      () => (clock.isTrusted ? 1 : 0),
    )
    this.series.gauge(
      'dossier_clock_offset_seconds',
      "Lead of this clock over the store's at the latest reply, to about a second.",
      () => (clock.offset === undefined ? undefined : clock.offset / 1_000),
    )
  }

  showLogTime(watch: { readonly behindMs: number }): void {
    this.series.gauge(
      'dossier_clock_behind_log_seconds',
      'Lag of this clock behind the latest time of a fact; 0 when it does not lag.',
      () => watch.behindMs / 1_000,
    )
  }

  showWriterQueue(queued: () => number): void {
    const help = 'Appends that wait for the writer, including those that were answered with 504.'
    this.series.gauge('dossier_writer_queue_appends', help, queued)
  }

  get contentType(): string {
    return this.series.registry.contentType
  }

  text(): Promise<string> {
    return this.series.registry.metrics()
  }
}
