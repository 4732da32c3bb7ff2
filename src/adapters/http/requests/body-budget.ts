import type { ServerResponse } from 'node:http'
import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { plainFault } from '../errors/faults.js'

/** What a request holds besides its body, about. */
const minBytes = 16_384

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
    const counted = Math.max(bytes, minBytes)
    if (this.used > 0 && this.used + counted > this.budget) {
      done(plainFault('overloaded'))
      return
    }
    this.used += counted
    this.reserved.set(request, counted)
    done()
  }

  /** Frees them once the reply was sent, or its connection was closed. */
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
