import { z } from 'zod'
import type { RunningServer } from '../servers/running-server.js'

const positionForm = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(Number)

/**
 * Measures the lag of reads as a caller sees it. Records an event, then reads an entity repeatedly until the
 * `Position` of the answer reaches the event.
 */
export class LagProbe {
  /** The lags in milliseconds, one for each event. */
  private readonly lags: number[] = []
  private isEnding = false

  constructor(private readonly server: RunningServer) {}

  /** Measures lags while `work` runs. Returns the lags and the result of `work`. */
  async during<T>(work: () => Promise<T>): Promise<{ lags: readonly number[]; result: T }> {
    const working = work().finally(() => {
      this.isEnding = true
    })
    const [result] = await Promise.all([working, this.probe()])
    return { lags: this.lags, result }
  }

  private async probe(): Promise<void> {
    while (!this.isEnding) {
      const position = await this.positionOf('POST', '/events', body)
      const begun = performance.now()
      while ((await this.positionOf('GET', '/entities/customer-0')) < position);
      this.lags.push(performance.now() - begun)
    }
  }

  private async positionOf(method: string, path: string, body?: string): Promise<number> {
    const { name, origin, key } = this.server
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const reply = await fetch(origin + path, { method, headers, body: body ?? null })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${name} answered ${String(reply.status)} ${text}`)
    return positionForm.parse(reply.headers.get('position'))
  }
}

const body = '{"entity_external_id":"customer-0","name":"probe","properties":{"n":1}}'
