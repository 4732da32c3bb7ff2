import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RequestObserver } from '../http/ports/observers.js'

class RouteMetrics {
  /** How many were answered with each status. */
  readonly byStatus = new Map<number, number>()

  constructor(
    readonly labels: { readonly method: string; readonly route: string },
    private readonly seconds: Histogram,
  ) {
    seconds.zero(labels)
  }

  /** Counts a reply. An arrow function, so that it can be passed on without its object. */
  readonly answered = (status: number, seconds: number): void => {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.seconds.observe(this.labels, seconds)
  }
}

/** Requests and faults. Routes and codes bound the number of series, whatever clients send. */
export class RequestMetrics implements RequestObserver {
  private readonly routes = new Map<string, RouteMetrics>()
  private readonly seconds: Histogram
  private readonly faults: Map<string, number>
  private readers = 0

  /** Each code counts from 0: `increase()` of Prometheus misses a series that begins with 1. */
  constructor(registry: Registry, faultCodes: readonly string[]) {
    this.faults = new Map(faultCodes.map((code) => [code, 0]))
    this.showRequests(registry)
    this.seconds = new Histogram({
      name: 'dossier_http_request_duration_seconds',
      help: 'From the headers of a request to its reply.',
      buckets: secondsOfWaiting,
      labelNames: ['method', 'route'],
      registers: [registry],
    })
    this.showFaults(registry)
    this.showReaders(registry)
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

  private showRequests(registry: Registry): void {
    const routes = this.routes
    new Counter({
      name: 'dossier_http_requests_total',
      help: 'Requests that were answered.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, byStatus } of routes.values()) {
          for (const [status, count] of byStatus) this.inc({ ...labels, status }, count)
        }
      },
    })
  }

  private showFaults(registry: Registry): void {
    const faults = this.faults
    new Counter({
      name: 'dossier_http_faults_total',
      help: 'Faults in replies, by their code.',
      labelNames: ['code'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [code, count] of faults) this.inc({ code }, count)
      },
    })
  }

  private showReaders(registry: Registry): void {
    const readers = () => this.readers
    new Gauge({
      name: 'dossier_feed_readers',
      help: 'Open streams of the feed (GET /facts as server-sent events).',
      registers: [registry],
      collect() {
        this.set(readers())
      },
    })
  }
}

/** Bounds of buckets in seconds, from a reply out of memory to one that waited until its time was up. */
export const secondsOfWaiting = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
