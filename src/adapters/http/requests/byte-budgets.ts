import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { Semaphore } from '../../../application/semaphore.js'
import { plainFault } from '../errors/faults.js'

/** Approximate memory of a request apart from its body, in bytes. */
const minBodyBytes = 16_384

/**
 * The share of one owner: a key that can only track (such keys are public, in every browser), or all unknown
 * keys together.
 */
const shareOfTracking = 1 / 2

/**
 * Limits the bytes of large bodies in progress, because memory has several copies of each. Refuses a request
 * beyond the budget with `overloaded` before its body is read. A single request always passes. A route needs
 * both hooks.
 */
export class BodyBudget {
  private readonly bytes: Semaphore
  private readonly reserved = new WeakMap<FastifyRequest, () => void>()

  /** Both parameters are in bytes. A body of unknown length counts as `bodyLimit`. */
  constructor(
    budget: number,
    private readonly bodyLimit: number,
  ) {
    this.bytes = new Semaphore({ most: budget, mostOfOne: budget * shareOfTracking })
  }

  /** Reserves the bytes of a request, unless its body is too long and will be refused anyway. */
  readonly reserve: onRequestHookHandler = (request, _reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? this.bodyLimit)
    if (bytes > this.bodyLimit) {
      done()
      return
    }
    done(this.resize(request, bytes) ? undefined : plainFault('overloaded'))
  }

  /**
   * Replaces the reservation of a request by one of `bytes`. Returns false when there is no room; the request
   * then has no reservation.
   */
  resize(request: FastifyRequest, bytes: number): boolean {
    this.reserved.get(request)?.()
    this.reserved.delete(request)
    const giveBack = this.bytes.tryTake(ownerOf(request), Math.max(bytes, minBodyBytes))
    if (giveBack !== undefined) this.reserved.set(request, giveBack)
    return giveBack !== undefined
  }

  /** Frees the reservation once the reply was sent or its connection was closed. */
  readonly release: onSendHookHandler = (request, reply, _payload, done) => {
    const giveBack = this.reserved.get(request)
    this.reserved.delete(request)
    if (giveBack !== undefined) whenSent(reply.raw, giveBack)
    done()
  }
}

/** Each request of a key that can write is a separate owner, so only the whole budget limits it. */
function ownerOf({ keyHolder, keyId, id }: FastifyRequest): string {
  return keyHolder?.scopes.includes('write') === true ? id : keyId
}

/** The most bytes of bodies whose items are being processed: of all keys, and of one key. */
const maxAtWork = 393_216
const maxAtWorkOfKey = 262_144

/**
 * Limits the bodies whose items are being processed. Other bodies wait as bytes outside V8's heap, because
 * each collection of young objects would copy their parsed items. A large body counts as half of one key's
 * limit, so two bodies of one key and a third of another key can be processed at once.
 */
export class BodiesAtWork {
  private readonly bytes = new Semaphore({
    most: maxAtWork,
    mostOfOne: maxAtWorkOfKey,
    queued: Infinity,
  })

  /** Runs `work` when there is room. After `waitMs` without room, runs it without counting it. */
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

/** The most bytes of replies that clients have not received yet: of all keys, and of one key. */
const maxBytes = 134_217_728
const maxBytesOfKey = 67_108_864

/** A shorter reply is not counted, because the system's buffer for a connection is about as large. */
const minReplyBytes = 16_384

/** Limits the memory of read replies that clients have not received yet. */
export class ReplyBudget {
  private readonly bytes: Semaphore

  constructor(budget = maxBytes, ofKey = maxBytesOfKey) {
    this.bytes = new Semaphore({ most: budget, mostOfOne: ofKey })
  }

  /**
   * Counts the text of a reply until the client has received it. Throws `overloaded` when too many bytes
   * wait, for this key or in total; the reply must then not be sent.
   */
  count({ keyId }: FastifyRequest, reply: FastifyReply, text: string): void {
    if (text.length < minReplyBytes) return
    const giveBack = this.bytes.tryTake(keyId, Buffer.byteLength(text))
    if (giveBack === undefined) throw plainFault('overloaded')
    whenSent(reply.raw, giveBack)
  }
}

/**
 * Calls `sent` when the response is closed. A response without a connection waits for an earlier response and
 * may never close, so `sent` is called at once.
 */
function whenSent(response: ServerResponse, sent: () => void): void {
  if (response.socket === null || response.closed) sent()
  else response.once('close', sent)
}
