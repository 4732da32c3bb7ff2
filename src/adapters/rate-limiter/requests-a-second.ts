import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { RateLimit } from '../http/ports/key-ring.js'

/**
 * At most this many requests of a key in a second, which begins with its first request; in this process
 * alone. Many at once may be over it: the second then lasts as long as they would have taken at the
 * limit. It remembers the keys of the latest second, and only keys that exist come here.
 */
export class RequestsASecond implements RateLimit {
  private readonly limiter: RateLimiterMemory

  constructor(private readonly most: number) {
    this.limiter = new RateLimiterMemory({ points: most, duration: 1 })
  }

  async take(keyId: string, requests = 1): Promise<number | undefined> {
    const { consumedPoints, msBeforeNext } = await this.limiter.penalty(keyId, requests)
    if (consumedPoints - requests >= this.most) return this.secondsLeft(keyId)
    const debt = consumedPoints - this.most
    if (debt > 0) await this.limiter.block(keyId, msBeforeNext / 1_000 + debt / this.most)
    return undefined
  }

  /** Looked up: a debt may have been made since the request was counted. */
  private async secondsLeft(keyId: string): Promise<number> {
    const { msBeforeNext = 0 } = (await this.limiter.get(keyId)) ?? {}
    return Math.max(1, Math.ceil(msBeforeNext / 1_000))
  }
}
