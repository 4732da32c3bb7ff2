import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from './rate-limit.js'

/**
 * At most `most` requests of a key in a second, which begins with its first request; in this process
 * alone. It remembers the keys of the latest second, and only keys that exist are ever asked about.
 */
export function requestsASecond(most: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: most, duration: 1 })
  return {
    take: async (keyId) => {
      try {
        await limiter.consume(keyId)
        return undefined
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))
      }
    },
  }
}
