import { z } from 'zod'
import type { Outcome } from '../load/order.js'
import { percentile } from '../report/statistics.js'

/** The part of `forkedSubject` that runs in the measured process. */

type Work = (n: number) => Promise<unknown>

/** Runs `inFlight` loops in parallel until `goesOn` returns false. */
export async function inParallel(
  inFlight: number,
  goesOn: (n: number) => boolean,
  work: Work,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (goesOn(next)) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

const order = z.object({ seconds: z.number() })

/**
 * Reports that the process is ready, works for the duration in each message, and ends when its parent is gone.
 */
export function serveSlices(inFlight: number, work: Work, close: () => Promise<unknown>): void {
  process.on('message', (message) => {
    slice(inFlight, work, order.parse(message).seconds).then(
      (outcome) => process.send?.({ outcome }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    )
  })
  process.once('disconnect', () => {
    void close().finally(() => process.exit())
  })
  process.send?.({ ready: true })
}

async function slice(inFlight: number, work: Work, seconds: number): Promise<Outcome> {
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const until = begun + seconds * 1_000
  await inParallel(
    inFlight,
    () => performance.now() < until,
    async (n) => {
      const sent = performance.now()
      await work(n)
      latencies.push(performance.now() - sent)
    },
  )
  const milliseconds = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  latencies.sort((left, right) => left - right)
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  return { requests: latencies.length, milliseconds, p50, p99, statuses: {}, cpu: user + system }
}
