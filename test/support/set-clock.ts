import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Preloaded with `node --import`: the milliseconds in a file are the time of every thread but the main one. */
const clock = process.env['CLOCK_FILE']
if (!isMainThread && clock !== undefined) {
  performance.now = () => Number(readFileSync(clock, 'utf8'))
}
