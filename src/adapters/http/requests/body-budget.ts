import type { onRequestHookHandler } from 'fastify'
import { plainFault } from '../errors/faults.js'

/**
 * Bounds the bytes of large bodies that are under way at once, for each is in memory several times
 * over. A request beyond it is refused with `overloaded` before its body is read; one alone never is.
 */
export class BodyBudget {
  private used = 0

  /** Both in bytes; `bodyLimit` is what a body of unknown length counts. */
  constructor(
    private readonly budget: number,
    private readonly bodyLimit: number,
  ) {}

  /** Takes the bytes of a request. They are free again when its reply or its connection has ended. */
  readonly reserve: onRequestHookHandler = (request, reply, done) => {
    const bytes = Math.min(
      Number(request.headers['content-length'] ?? this.bodyLimit),
      this.bodyLimit,
    )
    if (this.used > 0 && this.used + bytes > this.budget) {
      done(plainFault('overloaded'))
      return
    }
    this.used += bytes
    reply.raw.once('close', () => {
      this.used -= bytes
    })
    done()
  }
}
