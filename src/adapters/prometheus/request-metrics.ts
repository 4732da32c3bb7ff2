import type { Histogram } from 'prom-client'
import type { RequestObserver } from '../http/ports/observers.js'
import type { Series } from './series.js'

class RouteMetrics {
  readonly byStatus = new Map<number, number>()

  constructor(
    readonly labels: { readonly method: string; readonly route: string },
    private readonly seconds: Histogram<'method' | 'route'>,
  ) {
    seconds.zero(labels)
  }

  /** Counts a reply. This is an arrow function, so that callers can pass it as a callback. */
  readonly answered = (status: number, seconds: number): void => {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.seconds.observe(this.labels, seconds)
  }
}

/**
 * Metrics of requests and faults. Labels are only routes and error codes, so clients cannot increase the number of
 * series.
 */
export class RequestMetrics implements RequestObserver {
  private readonly routes = new Map<string, RouteMetrics>()
  private readonly seconds: Histogram<'method' | 'route'>
  private readonly faults: Map<string, number>
  private readers = 0

  /** Starts every error code at 0, because Prometheus' `increase()` misses a series that starts at 1. */
  constructor(series: Series, faultCodes: readonly string[]) {
    this.faults = new Map(faultCodes.map((code) => [code, 0]))
    series.counters(
      'dossier_http_requests_total',
      'Requests that were answered.',
      ['method', 'route', 'status'],
      () => this.answered(),
    )
    this.seconds = series.histogram(
      'dossier_http_request_duration_seconds',
      'Duration from the headers of a request to its reply.',
      ['method', 'route'],
    )
    series.counters(
      'dossier_http_faults_total',
      'Faults in replies, by their code.',
      ['code'],
      () => [...this.faults].map(([code, count]) => [{ code }, count]),
    )
    series.gauge(
      'dossier_feed_readers',
      'Open streams of the feed (GET /facts as server-sent events).',
      () => this.readers,
    )
  }

  private *answered() {
    for (const { labels, byStatus } of this.routes.values()) {
      for (const [status, count] of byStatus) yield [{ ...labels, status }, count] as const
    }
  }

  route(method: string, route: string): (status: number, seconds: number) => void {
    const name = `${method} ${route}`
    const metrics = this.routes.get(name) ?? new RouteMetrics({ method, route }, this.seconds)
    this.routes.set(name, metrics)
    return metrics.answered
  }

  fault(code: string): void {
    this.faults.set(code, (this.faults.get(code) ?? 0) + 1)
  }

  feedReaders(count: number): void {
    this.readers = count
  }
}
