/** The largest body, in bytes after decompression. */
export const maxBodyBytes = 4_194_304
/**
 * The largest body of a request whose API key is in the body, in bytes. Such a body is read before
 * the key is checked.
 */
export const maxKeylessBytes = 524_288
export const maxItems = 2_500

/** The timeout of a body, in milliseconds. SDKs give up after 8–10 s. */
export const bodyMs = 10_000
/**
 * The longest time that a request waits for memory, in milliseconds. Some SDKs give up after
 * 0.9–1.7 s.
 */
export const roomMs = 2_000
/**
 * The longest time from the headers of a request to its reply, and to the start of its last item,
 * in milliseconds.
 */
export const answerMs = 6_500
export const beginMs = 5_500
/** The minimum time that items get after a slow body, in milliseconds. */
export const leastMs = 1_000
/** The interval of checks for free memory, in milliseconds. */
export const lookMs = 100
/** The longest Retry-After, in seconds. SDKs drop their messages when the wait is longer. */
export const maxRetryAfter = 5
