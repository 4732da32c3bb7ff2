import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded with `node --import`. Sets the time of every thread except the main one to the milliseconds in a file.
 */
const clock = process.env['CLOCK_FILE']
if (!isMainThread && clock !== undefined) {
  performance.now = () => Number(readFileSync(clock, 'utf8'))
}
