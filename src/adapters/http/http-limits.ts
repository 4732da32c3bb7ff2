import { defaultTimeouts, type HttpOptions } from './http-options.js'

const longestReplayMs = 10_000

/**
 * The share of the heap that all batch bodies together may use. The parsed items need several times
 * as much memory as the bodies.
 */
const heapShareOfBatches = 1 / 64

interface HttpLimitsOptions {
  /** The timeout of an append, in milliseconds. */
  readonly storeTimeoutMs: number
  /**
   * The longest time that a read waits for the position in its `Position` header, in milliseconds.
   */
  readonly readWaitMs: number
  readonly heapBytes: number
}

/**
 * Derives the limits of HTTP from the timeouts of the store and of reads, and from the heap size.
 *
 * A connection is silent while its request waits for the store. The longest silence is seven store
 * timeouts:
 * - A retry waits for the first attempt and then for its own append: two timeouts.
 * - An event that creates its entity may wait for both up to three times: six timeouts.
 * - The last item of a batch starts within one timeout.
 *
 * The limit is eight store timeouts. A read waits for the end of the fact log and then for a
 * position. Each time, it may also replay facts for ten seconds.
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
