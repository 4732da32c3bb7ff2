import { defaultTimeouts, type HttpOptions } from './http-options.js'

const longestFoldMs = 10_000

/** The part of the heap that bodies of batches may fill: what is read of them is larger by far. */
const heapShareOfBatches = 1 / 64

interface HttpLimitsOptions {
  /** How long an append may take, in milliseconds. */
  readonly storeTimeoutMs: number
  /** How long a read may wait for the position that it is to know, in milliseconds. */
  readonly readWaitMs: number
  readonly heapBytes: number
}

/**
 * What follows for the edge from how long the store and reads may take, and from the memory.
 *
 * A request that waits for the store moves no bytes. A repeat waits for the first sending and then for
 * its own: twice the time-out of the store. An event that creates its entity may do so three times, and
 * the last item of a batch may begin when one time-out is over: seven, and one to spare. A read may
 * wait for the head and then for a position, and fold for ten seconds each time.
 */
export function httpLimits({
  storeTimeoutMs,
  readWaitMs,
  heapBytes,
}: HttpLimitsOptions): Pick<HttpOptions, 'batchBytes' | 'batchWaitMs' | 'readWaitMs' | 'timeouts'> {
  const ofReads = 2 * (readWaitMs + longestFoldMs) + 1_000
  const silenceMs = Math.max(defaultTimeouts.silenceMs, 8 * storeTimeoutMs, ofReads)
  return {
    batchBytes: heapBytes * heapShareOfBatches,
    batchWaitMs: storeTimeoutMs,
    readWaitMs,
    timeouts: { ...defaultTimeouts, silenceMs },
  }
}
