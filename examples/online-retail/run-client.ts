import { Dossier } from 'dossier/client'
import { loadOrders } from './load-orders.js'
import type { Options } from './options.js'
import { inspectOrderFile, readOrderLines } from './order-file.js'
import { daysUntilYesterday, ordersIn } from './orders.js'
import type { Progress } from './progress.js'
import { Tally } from './tally.js'

/** The counts and the duration of a run. */
export interface Report {
  readonly tally: Tally
  readonly seconds: number
  /** The highest position in the replies. Undefined without a reply. */
  readonly position: string | undefined
}

/** The progress output of a run, and the signal that stops it. */
export interface RunHooks {
  /** Called once, when the lines of the file have been counted. */
  readonly progressOf: (lines: number) => Progress
  readonly remark: (text: string) => void
  readonly stop?: AbortSignal
}

/**
 * Sends a file of orders to the service. Throws `OrderFileInvalid`, `GaveUp` and `NotDossier`. Throws the reason of
 * `stop` when it is aborted; the next run does not store finished orders twice.
 */
export async function runClient(options: Options, hooks: RunHooks): Promise<Report> {
  const begun = performance.now()
  const { url, key, batch: maxItems, inFlight: concurrency, limitMs: timeoutMs } = options
  const { stop: signal } = hooks
  const orderFile = await inspectOrderFile(options.file)
  let remarked = false
  const dossier = new Dossier({
    url,
    key,
    // Prints the remark once, because an outage affects every request.
    onRetry: ({ message }) => {
      if (!remarked) hooks.remark(`The service does not store just now (${message}) Trying again.`)
      remarked = true
    },
  })
  const tally = new Tally()
  const progress = hooks.progressOf(orderFile.lines)
  const lineDone = (line: number): void => {
    progress.done(line)
  }
  try {
    signal?.throwIfAborted()
    const { digest } = orderFile
    const movedDays = options.isUntilYesterday
      ? await daysUntilYesterday(readOrderLines(orderFile), Date.now())
      : 0
    const { areCustomersOlder } = options
    // Orders with shifted dates, and customers with other dates, need other idempotency keys.
    const moved = movedDays === 0 ? digest : `${digest}-moved-${String(movedDays)}-days`
    const file = areCustomersOlder ? `${moved}-older` : moved
    const loading = { file, areCustomersOlder, lineDone, maxItems, concurrency, timeoutMs, signal }
    await loadOrders(ordersIn(readOrderLines(orderFile), movedDays), dossier, tally, loading)
  } finally {
    progress.stop()
  }
  const seconds = (performance.now() - begun) / 1_000
  return { tally, seconds, position: dossier.position }
}
