import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from '../http/ports/rate-limit.js'

/**
 * At most so many requests of a key in a second, which begins with its first request; in this process
 * alone. It remembers the keys of the latest second, and only keys that exist are ever asked about.
 */
export class RequestsASecond implements RateLimit {
  private readonly limiter: RateLimiterMemory

  constructor(most: number) {
    this.limiter = new RateLimiterMemory({ points: most, duration: 1 })
  }

  async take(keyId: string): Promise<number | undefined> {
    try {
      await this.limiter.consume(keyId)
      return undefined
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000))
    }
  }
}
