import type { FastifyReply, FastifyRequest } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { ByteBudget, whenSent } from './byte-budget.js'

/** Replies that clients have not taken yet, in bytes: all of them, and those of one key. */
const maxBytes = 134_217_728
const maxBytesOfKey = 67_108_864

/** A shorter reply is not counted: what the system buffers for a connection is as large. */
const minBytes = 16_384

/** Bounds what replies to reads hold until their clients have taken them. */
export class ReplyBudget {
  private readonly bytes: ByteBudget

  constructor(budget = maxBytes, ofKey = maxBytesOfKey) {
    this.bytes = new ByteBudget(budget, ofKey)
  }

  /**
   * Sends the reply, which is counted until its client has taken it. Throws `overloaded` when the clients
   * of this key, or all, have left too much: then it is not sent.
   */
  send({ keyId }: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
    if (text.length >= minBytes) {
      const giveBack = this.bytes.take(keyId, Buffer.byteLength(text))
      if (giveBack === undefined) throw plainFault('overloaded')
      whenSent(reply.raw, giveBack)
    }
    return reply.send(text)
  }
}
