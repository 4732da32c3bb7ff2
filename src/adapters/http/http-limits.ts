import { defaultTimeouts, type HttpOptions } from './http-options.js'

const longestReplayMs = 10_000

/** The share of the heap for the bodies of all batches. Their parsed items need several times as much memory. */
const heapShareOfBatches = 1 / 64

interface HttpLimitsOptions {
  /** The timeout of an append, in milliseconds. */
  readonly storeTimeoutMs: number
  /** The longest time that a read waits for its Position, in milliseconds. */
  readonly readWaitMs: number
  readonly heapBytes: number
}

/**
 * Derives the limits of HTTP from the timeouts of the store and of reads, and from the heap size.
 * A connection is silent while its request waits for the store. The longest silence is seven store timeouts, and
 * the limit adds one to spare:
 * - A retry waits for the first attempt and then for its own append: two timeouts.
 * - An event that creates its entity does this up to three times: six timeouts.
 * - The last item of a batch starts within one timeout.
 * A read waits for the end of the fact log and then for a position, and may replay facts for ten seconds each time.
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
