import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { dossierFor } from './dossier.js'
import { HighestPosition } from './highest-position.js'
import { createHttpClient } from './http-client.js'
import { loadOrders } from './load-orders.js'
import type { Options } from './options.js'
import { inspectOrderFile, readOrderLines } from './order-file.js'
import type { Progress } from './progress.js'
import { sendInBatches } from './send-in-batches.js'
import { sendSingly } from './send-singly.js'
import { sendWithRetries, type Pace } from './send-with-retries.js'
import { Tally } from './tally.js'

/** The account of a run and how long it took. */
export interface Report {
  readonly tally: Tally
  readonly seconds: number
  /** The highest that a reply carried; undefined where none did. */
  readonly position: string | undefined
}

/** Who is told how a run goes, and what may end it. */
export interface RunHooks {
  /** Called once, when the lines of the file have been counted. */
  readonly progressOf: (lines: number) => Progress
  readonly remark: (text: string) => void
  readonly stop?: AbortSignal
}

/**
 * Sends a file of orders to the service. Throws `OrderFileInvalid`, `GaveUp`, `NotDossier`, and the
 * reason of `stop` when that is aborted; what was stored by then is found again by the next run.
 */
export async function runClient(options: Options, hooks: RunHooks): Promise<Report> {
  const begun = performance.now()
  const { batch, inFlight, limitMs } = options
  const orderFile = await inspectOrderFile(options.file)
  const client = createHttpClient(options.url, options.key)
  const failed = new AbortController()
  const over = AbortSignal.any([failed.signal, ...(hooks.stop === undefined ? [] : [hooks.stop])])
  setMaxListeners(0, over)
  over.addEventListener('abort', client.close)
  const pace = paceUntil(over, hooks.remark)
  const highest = new HighestPosition()
  const noted = highest.of(client)
  const sendOnce = batch > 1 ? sendInBatches(noted, { size: batch, inFlight }) : sendSingly(noted)
  const dossier = dossierFor(orderFile.digest, (write) =>
    sendWithRetries(sendOnce, write, limitMs, pace),
  )
  const tally = new Tally()
  const progress = hooks.progressOf(orderFile.lines)
  const lineDone = (line: number): void => {
    over.throwIfAborted()
    progress.done(line)
  }
  const callOff = (error: Error): void => {
    failed.abort(error)
  }
  try {
    over.throwIfAborted()
    const workers = inFlight * batch
    await loadOrders(readOrderLines(orderFile), dossier, tally, { workers, lineDone, callOff })
  } finally {
    progress.stop()
    client.close()
  }
  const seconds = (performance.now() - begun) / 1_000
  return { tally, seconds, position: highest.value }
}

function paceUntil(over: AbortSignal, remark: (text: string) => void): Pace {
  let remarked = false
  return {
    now: () => performance.now(),
    random: () => Math.random(),
    pause: async (milliseconds, reason) => {
      over.throwIfAborted()
      // Once is enough: an outage makes every request wait.
      if (!remarked) remark(`The service does not store just now (${reason}): trying again.`)
      remarked = true
      await pause(milliseconds, undefined, { signal: over }).catch(() => {
        over.throwIfAborted()
      })
    },
  }
}
