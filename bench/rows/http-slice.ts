import type { Outcome } from '../load/order.js'
import { cpuOf } from '../servers/process-figures.js'
import type { RunningServer } from '../servers/running-server.js'
import type { Slice } from './subject.js'

/** The requests of a slice, and the number of facts that each request stores. A read counts as one. */
interface Sending {
  readonly factsOfRequest: number
  readonly send: () => Promise<Outcome>
  /** Resolves when the server has finished all work for the sent requests. The CPU time of that work counts, too. */
  readonly settle?: (() => Promise<void>) | undefined
}

/** Sends the requests of a slice, and measures the server's cost. */
export async function httpSlice(server: RunningServer, sending: Sending): Promise<Slice> {
  const { pid, databaseCpu } = server
  const before = { cpu: cpuOf(pid), databaseCpu: databaseCpu?.() }
  const outcome = await sending.send()
  await sending.settle?.()
  const { milliseconds, p50, p99 } = outcome
  const facts = outcome.requests * sending.factsOfRequest
  const each = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / facts
  return {
    facts,
    perSecond: (facts * 1_000) / milliseconds,
    p50,
    p99,
    cpu: each(before.cpu, cpuOf(pid)),
    databaseCpu: each(before.databaseCpu, databaseCpu?.()),
    loadCpu: outcome.cpu / facts,
  }
}

/** Throws when a reply has another status than `right`. Returns the number of replies with the status `right`. */
export function onlyStatus(server: RunningServer, right: number, { statuses }: Outcome): number {
  const { [right]: done = 0, ...wrong } = statuses
  if (Object.keys(wrong).length === 0) return done
  throw new Error(`${server.name} answered ${JSON.stringify(statuses)} instead of ${String(right)}`)
}
