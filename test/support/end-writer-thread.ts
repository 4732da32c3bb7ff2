import { watchFile } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'
import { z } from 'zod'

/** Preloaded with `node --import`. Ends the thread that writes the data file as soon as a signal file appears. */
const signal = process.env['END_WRITER_WHEN']
const isWriter = z.object({ lockWaitMs: z.number() }).safeParse(workerData).success
if (!isMainThread && isWriter && signal !== undefined) {
  watchFile(signal, { interval: 20, persistent: false }, ({ size }) => {
    if (size > 0) process.exit(1)
  })
}
