import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * At most so many requests of a key in a second, which begins with its first request; in this process
 * alone. It remembers the keys of the latest second, and only keys that exist are ever asked about.
 */
export class RequestsASecond {
  private readonly limiter: RateLimiterMemory

  constructor(most: number) {
    this.limiter = new RateLimiterMemory({ points: most, duration: 1 })
  }

  /**
   * Counts a request of the key with this id. Undefined when it may pass; else it may not, and the next
   * one may after so many whole seconds.
   */
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
