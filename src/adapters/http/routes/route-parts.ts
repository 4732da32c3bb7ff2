import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { ReadingUseCases } from '../../../application/use-cases.js'
import type { FairTurns } from '../../../application/fair-turns.js'
import type { FaultAnswers } from '../errors/answer-faults.js'
import type { Refusals } from '../errors/refusals.js'
import type { StreamTimers } from '../feed/open-streams.js'
import type { HttpOptions, HttpParts } from '../http-options.js'
import type { BodiesAtWork, ReplyBudget } from '../requests/byte-budgets.js'

export type GuardedScope = 'read' | 'write' | 'segments' | 'erase' | 'webhooks' | 'any'

/** The hooks that check a request before its body is read: the API key, the scope and the body's type. */
export interface Guards {
  /**
   * Returns the hooks for a scope and a kind of body. The scope `any` accepts every key except a
   * key that can only track. A body is always JSON, and `optional` means that the body can be left
   * out.
   */
  readonly of: (scope: GuardedScope, body: 'none' | 'needed' | 'optional') => onRequestHookHandler[]
  readonly mayStillRead: (request: FastifyRequest) => boolean
  /**
   * The hooks of batches. They limit the total size of the batches in progress. They do not apply
   * the rate limit, because the handler counts each item.
   */
  readonly batch: { readonly onRequest: onRequestHookHandler[]; readonly onSend: onSendHookHandler }
}

/** The limits of an API key, as `GET /key` returns them. */
export interface KeyLimits {
  readonly requests_a_second: number | null
  readonly body_bytes: number
  readonly batch_bytes: number
  readonly batch_items: number
}

export interface RouteParts extends HttpParts, HttpOptions {
  readonly guards: Guards
  readonly faults: FaultAnswers
  readonly limits: KeyLimits
  readonly refusals: Pick<Refusals, 'page'>
  readonly documentText: () => string
  readonly atWork: BodiesAtWork
  readonly turns: FairTurns
}

export interface ReadParts extends RouteParts {
  readonly reading: ReadingUseCases
  readonly streamTimers: StreamTimers
  readonly replies: ReplyBudget
}
