import { setTimeout as pause } from 'node:timers/promises'
import type { RunningServer } from './running-server.js'

const betweenLooksMs = 5

/** Resolves when the service answers reads. Its read model is built by then. */
export function readsAnswered(server: RunningServer): Promise<void> {
  return answered(server, '/health/ready/reads')
}

/**
 * Resolves when the read model has applied all facts that were stored at the call. A read of an entity's history
 * waits for that, or gets 503. `customer-0` must exist.
 */
export function caughtUp(server: RunningServer): Promise<void> {
  return answered(server, '/entities/customer-0/history?limit=1')
}

async function answered({ name, origin, key }: RunningServer, path: string): Promise<void> {
  for (;;) {
    const reply = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })
    const text = await reply.text()
    if (reply.status === 200) return
    if (reply.status !== 503) throw new Error(`${name} answered ${String(reply.status)} ${text}`)
    await pause(betweenLooksMs)
  }
}
