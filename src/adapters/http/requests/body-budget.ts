import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { ByteBudget, whenSent } from './byte-budget.js'

/** What a request holds besides its body, about. */
const minBytes = 16_384

/**
 * Bounds the bytes of large bodies that are under way at once, for each is in memory several times
 * over. A request beyond it is refused with `overloaded` before its body is read; one alone never is.
 * A route takes both of its hooks.
 */
export class BodyBudget {
  private readonly bytes: ByteBudget
  private readonly reserved = new WeakMap<FastifyRequest, () => void>()

  /** Both in bytes; `bodyLimit` is what a body of unknown length counts. */
  constructor(
    budget: number,
    private readonly bodyLimit: number,
  ) {
    this.bytes = new ByteBudget(budget)
  }

  /** Takes the bytes of a request, unless its body is refused for its length in any case. */
  readonly reserve: onRequestHookHandler = (request, _reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? this.bodyLimit)
    if (bytes > this.bodyLimit) {
      done()
      return
    }
    done(this.resize(request, bytes) ? undefined : plainFault('overloaded'))
  }

  /** Takes so many bytes in the place of those that the request has. False: there is no room, and it has none. */
  resize(request: FastifyRequest, bytes: number): boolean {
    this.reserved.get(request)?.()
    this.reserved.delete(request)
    const giveBack = this.bytes.take('', Math.max(bytes, minBytes))
    if (giveBack !== undefined) this.reserved.set(request, giveBack)
    return giveBack !== undefined
  }

  /** Frees them once the reply was sent, or its connection was closed. */
  readonly release: onSendHookHandler = (request, reply, _payload, done) => {
    const giveBack = this.reserved.get(request)
    this.reserved.delete(request)
    if (giveBack !== undefined) whenSent(reply.raw, giveBack)
    done()
  }
}
