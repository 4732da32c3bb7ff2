import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { RateLimit } from '../http/ports/key-ring.js'

/**
 * Limits the requests of each API key per second, in this process. A second begins with the first request. A large
 * batch may exceed the limit. It then blocks the key for as long as its items would take at the limit. The limiter
 * stores only the keys of the latest second. Callers pass only valid keys.
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

  /**
   * Returns the number of seconds until the key's next request may run. Asks the limiter again, because a large batch
   * may have blocked the key for longer in the meantime.
   */
  private async secondsLeft(keyId: string): Promise<number> {
    const { msBeforeNext = 0 } = (await this.limiter.get(keyId)) ?? {}
    return Math.max(1, Math.ceil(msBeforeNext / 1_000))
  }
}
