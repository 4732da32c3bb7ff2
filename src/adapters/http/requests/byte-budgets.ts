import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { Semaphore } from '../../../application/semaphore.js'
import { plainFault } from '../errors/faults.js'

/** The approximate memory that a request needs besides its body, in bytes. */
const minBodyBytes = 16_384

/**
 * The largest share of the budget for one API key that can only track, or for all requests without
 * a valid key together. Tracking keys are public, because web pages contain them.
 */
const shareOfTracking = 1 / 2

/**
 * Limits the total size of large bodies in progress, because memory contains several copies of each
 * body. Refuses a request beyond the budget with `overloaded` before reading its body. Accepts
 * every request while no other request has a reservation. A route must use both hooks, `reserve`
 * and `release`.
 */
export class BodyBudget {
  private readonly bytes: Semaphore
  private readonly reserved = new WeakMap<FastifyRequest, () => void>()

  /** `budget` and `bodyLimit` are in bytes. A body of unknown length counts as `bodyLimit`. */
  constructor(
    budget: number,
    private readonly bodyLimit: number,
  ) {
    this.bytes = new Semaphore({ most: budget, mostOfOne: budget * shareOfTracking })
  }

  /**
   * Reserves the size of the body. Skips a body that is larger than the limit, because another
   * check refuses it.
   */
  readonly reserve: onRequestHookHandler = (request, _reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? this.bodyLimit)
    if (bytes > this.bodyLimit) {
      done()
      return
    }
    done(this.resize(request, bytes) ? undefined : plainFault('overloaded'))
  }

  /**
   * Replaces the request's reservation by a reservation of `bytes`. If the budget has no room,
   * returns false and leaves the request without a reservation.
   */
  resize(request: FastifyRequest, bytes: number): boolean {
    this.reserved.get(request)?.()
    this.reserved.delete(request)
    const giveBack = this.bytes.tryTake(ownerOf(request), Math.max(bytes, minBodyBytes))
    if (giveBack !== undefined) this.reserved.set(request, giveBack)
    return giveBack !== undefined
  }

  /** Frees the reservation when the reply was sent or the connection was closed. */
  readonly release: onSendHookHandler = (request, reply, _payload, done) => {
    const giveBack = this.reserved.get(request)
    this.reserved.delete(request)
    if (giveBack !== undefined) whenSent(reply.raw, giveBack)
    done()
  }
}

/**
 * Returns the owner whose budget the body counts against. With the scope `write`, each request is
 * its own owner, so only the whole budget limits it.
 */
function ownerOf({ keyHolder, keyId, id }: FastifyRequest): string {
  return keyHolder?.scopes.includes('write') === true ? id : keyId
}

/**
 * The maximum number of bytes of the bodies whose items are being processed: in total, and for one
 * API key.
 */
const maxAtWork = 393_216
const maxAtWorkOfKey = 262_144

/**
 * Limits the size of the bodies whose items are being processed. Other bodies wait as raw bytes
 * outside V8's heap. Parsed items would be in the heap, and each garbage collection of young
 * objects would copy them. A large body counts as half of one key's limit. So two bodies of one key
 * and one body of another key can be processed at once.
 */
export class BodiesAtWork {
  private readonly bytes = new Semaphore({
    most: maxAtWork,
    mostOfOne: maxAtWorkOfKey,
    queued: Infinity,
  })

  /**
   * Runs `work` when the budget has room. After waiting `waitMs`, runs `work` without counting it.
   */
  run<T>(
    { keyId }: FastifyRequest,
    body: Buffer,
    waitMs: number,
    work: () => Promise<T>,
  ): Promise<T> {
    const weight = Math.min(body.length, maxAtWorkOfKey / 2)
    return this.bytes.run(keyId, { weight, waitMs }, work)
  }
}

/**
 * The maximum number of bytes of replies that clients have not received yet: in total, and for one
 * API key.
 */
const maxBytes = 134_217_728
const maxBytesOfKey = 67_108_864

/** Shorter replies are not counted, because the operating system's socket buffer can hold them. */
const minReplyBytes = 16_384

/** Limits the memory of read replies that clients have not received yet. */
export class ReplyBudget {
  private readonly bytes: Semaphore

  constructor(budget = maxBytes, ofKey = maxBytesOfKey) {
    this.bytes = new Semaphore({ most: budget, mostOfOne: ofKey })
  }

  /**
   * Counts a reply until the client has received it. Throws `overloaded` when too many bytes of
   * replies wait, for this key or in total. The caller must then not send this reply.
   */
  count({ keyId }: FastifyRequest, reply: FastifyReply, text: string): void {
    if (text.length < minReplyBytes) return
    const giveBack = this.bytes.tryTake(keyId, Buffer.byteLength(text))
    if (giveBack === undefined) throw plainFault('overloaded')
    whenSent(reply.raw, giveBack)
  }
}

/**
 * Calls `sent` when the response is closed. Calls it immediately for a response without a
 * connection, because such a response waits for an earlier response and may never close.
 */
function whenSent(response: ServerResponse, sent: () => void): void {
  if (response.socket === null || response.closed) sent()
  else response.once('close', sent)
}
