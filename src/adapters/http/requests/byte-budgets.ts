import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { Semaphore } from '../../../application/semaphore.js'
import { plainFault } from '../errors/faults.js'

/** The memory of a request besides its body, about. */
const minBodyBytes = 16_384

/** The share of keys that may only track, which are in every browser, and of unknown keys. */
const shareOfTracking = 1 / 2

/**
 * Bounds the bytes of large bodies under way, because memory has several copies of each. Refuses a request beyond the
 * budget with `overloaded` before its body is read. A single request always passes. A route needs both hooks.
 */
export class BodyBudget {
  private readonly bytes: Semaphore
  private readonly reserved = new WeakMap<FastifyRequest, () => void>()

  /** Both in bytes. A body of unknown length counts as `bodyLimit`. */
  constructor(
    budget: number,
    private readonly bodyLimit: number,
  ) {
    this.bytes = new Semaphore({ most: budget, mostOfOne: budget * shareOfTracking })
  }

  /** Takes the bytes of a request, unless the length of its body is refused anyway. */
  readonly reserve: onRequestHookHandler = (request, _reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? this.bodyLimit)
    if (bytes > this.bodyLimit) {
      done()
      return
    }
    done(this.resize(request, bytes) ? undefined : plainFault('overloaded'))
  }

  /** Takes these bytes in the place of those that the request has. False: no room, and it has none. */
  resize(request: FastifyRequest, bytes: number): boolean {
    this.reserved.get(request)?.()
    this.reserved.delete(request)
    const giveBack = this.bytes.tryTake(ownerOf(request), Math.max(bytes, minBodyBytes))
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

/** A request of a key that may write is an owner by itself: only the whole budget bounds it. */
function ownerOf({ keyHolder, keyId, id }: FastifyRequest): string {
  return keyHolder?.scopes.includes('write') === true ? id : keyId
}

/** Bytes of bodies whose items are at work: of all keys, and of one. */
const maxAtWork = 393_216
const maxAtWorkOfKey = 262_144

/**
 * Bounds the bodies whose items are at work. The other bodies wait as bytes, outside of V8's heap: each
 * collection of young objects would copy what is made of them. A large body counts half of what one key
 * may have, so that two can work, and a third of another key.
 */
export class BodiesAtWork {
  private readonly bytes = new Semaphore({
    most: maxAtWork,
    mostOfOne: maxAtWorkOfKey,
    queued: Infinity,
  })

  /** Runs `work` when there is room, or after the time, and then without being counted. */
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

/** Replies that clients have not taken yet, in bytes: all of them, and those of one key. */
const maxBytes = 134_217_728
const maxBytesOfKey = 67_108_864

/** A shorter reply is not counted: what the system buffers for a connection is as large. */
const minReplyBytes = 16_384

/** Bounds what replies to reads hold until their clients have taken them. */
export class ReplyBudget {
  private readonly bytes: Semaphore

  constructor(budget = maxBytes, ofKey = maxBytesOfKey) {
    this.bytes = new Semaphore({ most: budget, mostOfOne: ofKey })
  }

  /**
   * Counts the text of a reply until its client has taken it. Throws `overloaded` when the clients of this
   * key, or all, have left too much: then it is not to be sent.
   */
  count({ keyId }: FastifyRequest, reply: FastifyReply, text: string): void {
    if (text.length < minReplyBytes) return
    const giveBack = this.bytes.tryTake(keyId, Buffer.byteLength(text))
    if (giveBack === undefined) throw plainFault('overloaded')
    whenSent(reply.raw, giveBack)
  }
}

/** A reply without a connection waits for the one before it, and may never see its end. */
function whenSent(response: ServerResponse, sent: () => void): void {
  if (response.socket === null || response.closed) sent()
  else response.once('close', sent)
}
