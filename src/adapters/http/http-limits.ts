import { defaultTimeouts, type HttpOptions } from './http-options.js'

const longestReplayMs = 10_000

/** The part of the heap for the bodies of batches. Their parsed items need far more. */
const heapShareOfBatches = 1 / 64

interface HttpLimitsOptions {
  /** How long an append may take, in milliseconds. */
  readonly storeTimeoutMs: number
  /** How long a read may wait for its Position, in milliseconds. */
  readonly readWaitMs: number
  readonly heapBytes: number
}

/**
 * The limits of HTTP that follow from the time-outs of the store and of reads, and from the memory.
 *
 * A connection that waits for the store moves no bytes, so it may be silent for a while. A retry waits for the first
 * attempt and then for its own: two time-outs of the store. An event that creates its entity does so up to three
 * times. The last item of a batch begins within one time-out. That makes seven time-outs, and one to spare. A read
 * waits for the head and then for a position, and may replay facts for ten seconds each time.
 */
export function httpLimits({
  storeTimeoutMs,
  readWaitMs,
  heapBytes,
}: HttpLimitsOptions): Pick<HttpOptions, 'batchBytes' | 'batchWaitMs' | 'readWaitMs' | 'timeouts'> {
  const ofReads = 2 * (readWaitMs + longestReplayMs) + 1_000
  const silenceMs = Math.max(defaultTimeouts.silenceMs, 8 * storeTimeoutMs, ofReads)
  return {
    batchBytes: heapBytes * heapShareOfBatches,
    batchWaitMs: storeTimeoutMs,
    readWaitMs,
    timeouts: { ...defaultTimeouts, silenceMs },
  }
}
