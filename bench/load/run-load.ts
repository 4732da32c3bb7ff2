import { HttpConnection } from './http-connection.js'
import { percentile } from '../report/statistics.js'
import type { Order, Outcome } from './order.js'
import { requestsOf } from './requests.js'

/** Sends the ordered requests, one outstanding on each connection. Throws when a connection breaks. */
export async function runLoad(order: Order): Promise<Outcome> {
  const opening = Array.from({ length: order.connections }, () => HttpConnection.open(order.origin))
  const connections = await Promise.all(opening)
  try {
    return await new Load(order).over(connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}

class Load {
  private readonly latencies: number[] = []
  private readonly statuses = new Map<number, number>()
  private readonly requestOf: (n: number) => string
  private readonly most: number
  private sent = 0
  private begun = 0
  private until = 0

  constructor(private readonly order: Order) {
    this.requestOf = requestsOf(order)
    this.most = order.requests ?? Infinity
  }

  async over(connections: readonly HttpConnection[]): Promise<Outcome> {
    const cpu = process.cpuUsage()
    this.begun = performance.now()
    this.until = this.begun + (this.order.seconds ?? Infinity) * 1_000
    await Promise.all(connections.map((connection) => this.sendOver(connection)))
    const milliseconds = performance.now() - this.begun
    const { user, system } = process.cpuUsage(cpu)
    this.latencies.sort((left, right) => left - right)
    return {
      requests: this.latencies.length,
      milliseconds,
      p50: percentile(this.latencies, 0.5),
      p99: percentile(this.latencies, 0.99),
      statuses: Object.fromEntries(this.statuses),
      cpu: user + system,
    }
  }

  /** Returns when the n-th request may be sent. A late request does not lower the rate. */
  private dueAt(n: number): number {
    const { perSecond } = this.order
    return perSecond === undefined ? 0 : this.begun + (n * 1_000) / perSecond
  }

  private sendOver(connection: HttpConnection): Promise<void> {
    return new Promise((done, failed) => {
      let begun = performance.now()
      const send = (n: number) => {
        begun = performance.now()
        connection.send(this.requestOf(n), answered, failed)
      }
      const next = () => {
        const now = performance.now()
        const waitMs = this.dueAt(this.sent) - now
        if (now + Math.max(waitMs, 0) >= this.until || this.sent >= this.most) {
          done()
          return
        }
        const n = this.sent
        this.sent += 1
        if (waitMs <= 0) send(n)
        else setTimeout(send, waitMs, n)
      }
      const answered = (status: number) => {
        this.latencies.push(performance.now() - begun)
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
        next()
      }
      next()
    })
  }
}
