import type { FastifyReply } from 'fastify'
import { isRefused } from '../../../application/ports/refusal.js'
import type { FaultAnswerForm } from '../errors/answer-faults.js'
import type { BatchFaults } from '../errors/batch-faults.js'
import { faultHeaders, type Detail, type HttpFault } from '../errors/faults.js'
import type { TrackingObserver } from '../ports/observers.js'
import { jsonType } from '../replies/write-reply.js'
import { maxViolations } from '../../../domain/properties.js'
import type { ItemOutcome } from './run-items.js'
import type { RefusedItem, TrackedItem } from './tracked-item.js'
import { maxRetryAfter } from './tracking-limits.js'

interface ItemError extends Detail {
  readonly index: number
  readonly message_id: string | null
}

export const success = JSON.stringify({ success: true })

/**
 * Returns the body of an error reply. Some SDKs read `code` and `message`, and others read `error`, so the body has
 * all three.
 */
function errorText(
  code: string,
  message: string,
  requestId: string,
  errors: readonly ItemError[] = [],
): string {
  const body = { success: false, code, message, error: message, errors, request_id: requestId }
  return JSON.stringify(body)
}

/** Formats HTTP faults for the tracking paths. */
export const trackingForm: FaultAnswerForm = (fault, request) => ({
  // An invalid body gets 400 instead of 422, because SDKs do not handle 422.
  status: fault.status === 422 ? 400 : fault.status,
  headers: soon(faultHeaders(fault)),
  text: errorText(fault.code, fault.message, request.id),
})

/** Shortens `Retry-After`. SDKs drop their messages when the wait is longer. */
function soon(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const seconds = Number(headers['Retry-After'] ?? 0)
  if (seconds <= maxRetryAfter) return headers
  return { ...headers, 'Retry-After': String(maxRetryAfter) }
}

/**
 * The detail of every conflict. Tracking keys are public, so conflicts must not reveal which
 * entities exist. One message for all conflicts ensures this.
 */
const conflict = {
  path: '',
  code: 'conflict',
  message: 'conflicts with stored data: do not send it again',
} as const
const tooLarge = {
  path: '',
  code: 'too_long',
  message: 'is larger than the store accepts in one write',
} as const

/** Refusal codes that reveal that an item's entity was erased. */
const ofErased = ['entity_erased', 'entity_removed'] as const

/** Collects the outcomes of the items of one request, and sends the reply. */
export class TrackingResults {
  private readonly errors: ItemError[] = []
  /**
   * The first faults of items that should be sent again. `unknown` is for items that may be stored,
   * and `later` for items that are not stored.
   */
  private unknown: HttpFault | undefined
  private later: HttpFault | undefined
  private keyless = 0

  constructor(
    private readonly faults: BatchFaults,
    private readonly observer: TrackingObserver,
    private readonly requestId: string,
    /** Whether the sender may learn that an entity was erased. */
    private readonly maySeeErased: boolean,
  ) {}

  add(index: number, item: TrackedItem | RefusedItem, outcome: ItemOutcome): void {
    if (outcome.status === 'rejected') {
      const fault = this.faults.add(outcome.reason, index)
      const isHidden = !this.maySeeErased && isRefused(outcome.reason, ...ofErased)
      if (isHidden) this.observer.item(item.type ?? 'none', 'dropped')
      else this.addFault(index, item, fault)
      return
    }
    const { replayed } = outcome.value
    if (!('details' in item) && item.timeReplacedFor !== undefined && !replayed)
      this.observer.replacedTime(item.timeReplacedFor)
    this.observer.item(item.type ?? 'none', replayed ? 'replayed' : 'stored')
  }

  private addFault(index: number, item: TrackedItem | RefusedItem, fault: HttpFault): void {
    if ('details' in item) {
      this.refuse(index, item, item.details)
      return
    }
    if (fault.status < 500) {
      this.refuse(index, item, [fault.code === 'append_too_large' ? tooLarge : conflict])
      return
    }
    if (item.messageId === undefined) this.keyless += 1
    const isUnknown = fault.status === 504
    if (isUnknown) this.unknown ??= fault
    else this.later ??= fault
    this.observer.item(item.type, isUnknown ? 'unknown' : 'later')
  }

  /** Sends the reply. With `isLenient`, items that can never be stored do not turn the reply into an error. */
  send(reply: FastifyReply, isLenient: boolean): FastifyReply {
    this.faults.writeLog()
    reply.type(jsonType)
    const again = this.unknown ?? this.later
    if (again !== undefined) {
      const headers = soon({ 'Retry-After': '1', ...faultHeaders(again) })
      const text = errorText(again.code, this.sentAgain(again), this.requestId)
      return reply.code(again.status).headers(headers).send(text)
    }
    if (this.errors.length === 0 || isLenient) return reply.code(200).send(success)
    const message = 'Some items break rules, which the errors list. All other items are stored.'
    const text = errorText('validation_failed', message, this.requestId, this.errors)
    return reply.code(400).send(text)
  }

  private sentAgain({ code }: HttpFault): string {
    const sure = 'Send it again: what is stored stays stored once, by its messageId.'
    const why =
      code === 'outcome_unknown'
        ? 'Some items may or may not be stored.'
        : 'Not all items are stored.'
    const { keyless } = this
    if (keyless === 0) return `${why} ${sure}`
    return `${why} ${sure} ${String(keyless)} without a messageId may be stored twice by that.`
  }

  /**
   * Adds the errors of a refused item: always the first error, and further errors only while the
   * reply contains few errors.
   */
  private refuse(
    index: number,
    {
      type,
      messageId = null,
    }: Pick<RefusedItem, 'type'> & { readonly messageId?: string | null | undefined },
    details: readonly Detail[],
  ): void {
    this.observer.item(type ?? 'none', 'refused')
    const room = Math.max(1, maxViolations - this.errors.length)
    for (const detail of details.slice(0, room)) {
      this.errors.push({ index, message_id: messageId, ...detail })
    }
  }
}
