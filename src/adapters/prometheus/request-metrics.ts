import { Counter, type Registry } from 'prom-client'
import type { RequestObserver } from '../http/ports/request-observer.js'
import { Buckets, secondsOfWaiting } from './buckets.js'
import { ReadHistogram } from './read-histogram.js'

/** The requests of one method and route. */
class RouteFigures {
  /** How many were answered with each status. */
  readonly byStatus = new Map<number, number>()
  readonly seconds = new Buckets(secondsOfWaiting)

  constructor(readonly labels: { readonly method: string; readonly route: string }) {}

  /** To be told of each reply; bound, so that it can be handed on as it is. */
  readonly answered = (status: number, seconds: number): void => {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.seconds.observe(seconds)
  }
}

/** Requests and faults. Labels are as many as there are routes and codes, whatever clients send. */
export class RequestMetrics implements RequestObserver {
  private readonly routes = new Map<string, RouteFigures>()
  private readonly faults: Map<string, number>

  /** Of each of `faultCodes` there is a figure from the start: what appears at 1 has not grown. */
  constructor(registry: Registry, faultCodes: readonly string[]) {
    this.faults = new Map(faultCodes.map((code) => [code, 0]))
    this.showRequests(registry)
    this.showFaults(registry)
  }

  /** What is to be told of each reply to the requests of a route. */
  route(method: string, route: string): (status: number, seconds: number) => void {
    const name = `${method} ${route}`
    const figures = this.routes.get(name) ?? new RouteFigures({ method, route })
    this.routes.set(name, figures)
    return figures.answered
  }

  fault(code: string): void {
    this.faults.set(code, (this.faults.get(code) ?? 0) + 1)
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
    new ReadHistogram(
      {
        name: 'dossier_http_request_duration_seconds',
        help: 'From the headers of a request to its reply.',
        bounds: secondsOfWaiting,
        labelNames: ['method', 'route'],
      },
      () => [...routes.values()].map(({ labels, seconds }) => [labels, seconds]),
      registry,
    )
  }

  private showFaults(registry: Registry): void {
    const faults = this.faults
    new Counter({
      name: 'dossier_http_faults_total',
      help: 'Faults that clients were told, by their code.',
      labelNames: ['code'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [code, count] of faults) this.inc({ code }, count)
      },
    })
  }
}
