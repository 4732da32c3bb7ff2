import type { FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import type { ReadingUseCases } from '../../../application/use-cases.js'
import type { FairTurns } from '../../../application/fair-turns.js'
import type { FaultAnswers } from '../errors/answer-faults.js'
import type { Refusals } from '../errors/refusals.js'
import type { StreamTimers } from '../feed/open-streams.js'
import type { HttpOptions, HttpParts } from '../http-options.js'
import type { BodiesAtWork, ReplyBudget } from '../requests/byte-budgets.js'

export type GuardedScope = 'read' | 'write' | 'segments' | 'erase' | 'any'

/** The hooks that check a request before its body is read: its key, the scope and more. */
export interface Guards {
  /** `any`: every key that may do more than track. `body`: of JSON; `optional`: it may be left out. */
  readonly of: (scope: GuardedScope, body: 'none' | 'needed' | 'optional') => onRequestHookHandler[]
  readonly mayStillRead: (request: FastifyRequest) => boolean
  /** A batch, whose items count one by one; and how much of other batches is under way. */
  readonly batch: { readonly onRequest: onRequestHookHandler[]; readonly onSend: onSendHookHandler }
}

/** The limits of a key, in the form of `GET /key`. */
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
