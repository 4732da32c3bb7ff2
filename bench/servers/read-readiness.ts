import { setTimeout as pause } from 'node:timers/promises'
import type { RunningServer } from './running-server.js'

const betweenLooksMs = 5

/** Resolves when it answers reads: its read model has been built. */
export function readsAnswered(server: RunningServer): Promise<void> {
  return answered(server, '/health/ready/reads')
}

/**
 * Resolves when its read model has all that its store had when this was asked: the history of an entity
 * waits for that, or is refused with 503. `customer-0` must exist.
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
