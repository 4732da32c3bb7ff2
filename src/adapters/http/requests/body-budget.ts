import type { ServerResponse } from 'node:http'
import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { plainFault } from '../errors/faults.js'

/**
 * Bounds the bytes of large bodies that are under way at once, for each is in memory several times
 * over. A request beyond it is refused with `overloaded` before its body is read; one alone never is.
 * A route takes both of its hooks.
 */
export class BodyBudget {
  private used = 0
  private readonly reserved = new WeakMap<FastifyRequest, number>()

  /** Both in bytes; `bodyLimit` is what a body of unknown length counts. */
  constructor(
    private readonly budget: number,
    private readonly bodyLimit: number,
  ) {}

  /** Takes the bytes of a request, unless its body is refused for its length in any case. */
  readonly reserve: onRequestHookHandler = (request, _reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? this.bodyLimit)
    if (bytes > this.bodyLimit) {
      done()
      return
    }
    if (this.used > 0 && this.used + bytes > this.budget) {
      done(plainFault('overloaded'))
      return
    }
    this.used += bytes
    this.reserved.set(request, bytes)
    done()
  }

  /**
   * Frees them when there is a reply, however its connection ended before, and the reply is sent or
   * can no longer be.
   */
  readonly release: onSendHookHandler = (request, reply, _payload, done) => {
    const bytes = this.reserved.get(request)
    this.reserved.delete(request)
    if (bytes !== undefined) {
      whenSent(reply.raw, () => {
        this.used -= bytes
      })
    }
    done()
  }
}

/** A reply without a connection waits for the reply before it, and may never be told of its end. */
function whenSent(response: ServerResponse, sent: () => void): void {
  if (response.socket === null || response.closed) sent()
  else response.once('close', sent)
}
