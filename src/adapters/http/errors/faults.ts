import type { RefusalCode } from '../../../application/ports/refusal.js'
import type { RuleViolation, ViolationCode } from '../../../domain/rule-violation.js'

interface FaultForm {
  readonly status: number
  readonly message: string
  /** The message for a request with an Idempotency-Key: it covers earlier attempts, too. */
  readonly keyedMessage?: string
  readonly readMessage?: string
}

const apart =
  'The clocks of this replica and of the store are too far apart: its operator has to synchronise them (NTP).'

/**
 * The messages of a temporary refusal. For a write: nothing was stored, send it again. With an Idempotency-Key: an
 * earlier attempt may be stored. For a read: ask again.
 * `readWhy`: the reason for a read, if it is another one. `when`: when to send the request again.
 */
function untilLater(status: number, why: string, when: string, readWhy = why) {
  return {
    status,
    message: `${why} Nothing was stored. Send it again ${when}.`,
    keyedMessage:
      `${why} This request stored nothing; an earlier one with the same Idempotency-Key may be stored. ` +
      'Send it again later with the same key.',
    readMessage: `${readWhy} Ask again ${when}.`,
  }
}

/**
 * The faults by their codes, which are published and stable. A 503 of a write says that nothing was stored; a 504
 * never says so.
 */
const table = {
  malformed_json: { status: 400, message: 'The body is not JSON. Send one JSON object in UTF-8.' },
  malformed_request: { status: 400, message: 'The request is not well-formed HTTP.' },
  unauthenticated: {
    status: 401,
    message: 'No valid key. Send one as "Authorization: Bearer KEY".',
  },
  forbidden: {
    status: 403,
    message: 'This key does not have the scope that this needs. Use one that has it.',
  },
  entity_not_found: {
    status: 404,
    message: 'No entity has this external_id. Create it first with POST /entities.',
  },
  segment_not_found: {
    status: 404,
    message: 'No segment has this key. GET /segments lists those that there are.',
  },
  erasure_not_found: {
    status: 404,
    message: 'No erasure has this id. GET /erasures lists those that there are.',
  },
  route_not_found: { status: 404, message: 'Nothing is here. /openapi.json lists what there is.' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not take this method. The Allow header lists those that it takes.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time. Nothing was stored. Send it again.',
  },
  entity_exists: {
    status: 409,
    message:
      'An entity of this external_id exists. It was not changed. Record events with POST /events.',
  },
  too_many_segments: {
    status: 409,
    message: 'There are 200 segments, the most that there can be. Retire one first.',
  },
  kind_differs: {
    status: 409,
    message:
      'The kind of a segment never changes while it is live. Retire it first, or use another key.',
  },
  segment_in_use: {
    status: 409,
    message: "Another segment's rule names this one. Change or retire that one first.",
  },
  segment_by_rule: {
    status: 409,
    message: 'Who is in this segment follows from its rule. Nobody is put in or taken out by hand.',
  },
  not_ready: {
    status: 409,
    message:
      'This process is not set up for that: ERASE is off, its user may not delete streams of EventStoreDB, or, ' +
      'for a dry run, READ_MODEL is off. Nothing was stored.',
  },
  not_possible: {
    status: 409,
    message:
      'The store can never do that: memory: erases nothing, and EventStoreDB never frees a blocked external_id.',
  },
  entity_erased: {
    status: 410,
    message:
      'The entity of this external_id was erased, and the external_id cannot be used again. Nothing was stored. ' +
      'Do not send it again.',
  },
  precondition_failed: {
    status: 412,
    message:
      'The segment is not at a version that If-Match or If-None-Match allows. Nothing was stored. Read it, and decide again.',
  },
  position_unknown: {
    status: 412,
    message:
      'The store has not come to this position, or has another fact there: it is of another store, or of ' +
      'one that was restored. Begin again without it.',
  },
  body_too_large: { status: 413, message: 'The body is too large. Send less at once.' },
  append_too_large: {
    status: 413,
    message:
      'The request stores more at once than the store takes: 1 MiB, or a lower limit of its own. ' +
      'Nothing was stored. Send less at once.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send "Content-Type: application/json" in UTF-8, and no Content-Encoding.',
  },
  validation_failed: {
    status: 422,
    message: 'The request breaks the rules that the details list. Nothing was stored.',
    readMessage: 'The request breaks the rules that the details list.',
  },
  too_many_facts: {
    status: 422,
    message:
      'There are too many facts to fold them on demand. Ask without as_of and known_at, for fewer entities, ' +
      'or for events and the history.',
  },
  not_searchable: {
    status: 422,
    message: 'Entities are not found by this property.',
  },
  idempotency_key_reused: {
    status: 422,
    message:
      'This Idempotency-Key was used for this entity with another body. Use a new key for a new request.',
  },
  rate_limited: untilLater(
    429,
    'This key asks too often.',
    'after as many seconds as Retry-After says',
  ),
  headers_too_large: {
    status: 431,
    message: 'The request line and headers are too large. Send less of them.',
  },
  internal_error: {
    status: 500,
    message: 'The service made a mistake. Tell its operator the request_id.',
  },
  store_unavailable: untilLater(503, 'The store does not take requests now.', 'later'),
  read_model_behind: untilLater(
    503,
    'What is known here does not reach so far yet.',
    'later, or without a Position, or at another replica',
  ),
  building: untilLater(
    503,
    'The segment is being built, and nothing of it is served here yet.',
    'later',
  ),
  overloaded: untilLater(
    503,
    'Too many requests are under way.',
    'later',
    'Too many reads are under way, of this key or of all, or replies wait to be taken.',
  ),
  clock_untrusted: {
    ...untilLater(503, apart, 'later, or to another replica'),
    readMessage: `${apart} No write is taken until then.`,
  },
  shutting_down: untilLater(503, 'The service is stopping.', 'on a new connection'),
  outcome_unknown: {
    status: 504,
    message:
      'The store did not say in time whether it stored this: it may or may not be stored. Without an ' +
      'Idempotency-Key, sending it again may store it twice.',
    keyedMessage:
      'The store did not say in time whether it stored this: it may or may not be stored. Send it again ' +
      'with the same Idempotency-Key: it will be stored once.',
  },
} as const satisfies Readonly<Record<string, FaultForm>>

export type FaultCode = keyof typeof table

export const faultForms: Readonly<Record<FaultCode, FaultForm>> = table

export const faultCodes: readonly string[] = Object.keys(table)

/** The faults of refusals whose code is not the code of a fault. */
const otherwise: Partial<Record<RefusalCode, { code: FaultCode; message?: string }>> = {
  entity_removed: {
    code: 'entity_exists',
    message: 'The entity of this external_id was removed for good. Use another external_id.',
  },
  preview_under_way: {
    code: 'rate_limited',
    message:
      'This process previews another rule, and makes one preview at a time. Ask again later.',
  },
  entity_not_there_then: {
    code: 'entity_not_found',
    message:
      'An entity with this external_id was not there by that time. Send a later as_of or known_at; a read ' +
      'with neither says whether there is one now.',
  },
}

/** The fault of a refusal. A refusal that only use cases handle is an internal error here. */
export function faultOfRefusal(code: RefusalCode): { code: FaultCode; message?: string } {
  return otherwise[code] ?? { code: isFaultCode(code) ? code : 'internal_error' }
}

function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(table, code)
}

export function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export interface Detail {
  /** A JSON Pointer into the body; `""` is the body. A parameter of the path or the query is named as a field is. */
  readonly path: string
  readonly code: ViolationCode
  readonly message: string
}

/** The detail of a broken rule. `parent`: the path to the value that the rule is about. */
export function detailOf(
  { path, code, message }: RuleViolation,
  parent: readonly PropertyKey[] = [],
): Detail {
  return { path: pointer([...parent, ...path]), code, message }
}

/** The default of Retry-After. */
const retryAfterSeconds = 1

export class HttpFault extends Error {
  override readonly name = 'HttpFault'

  constructor(
    readonly code: FaultCode,
    override readonly message: string = faultForms[code].message,
    readonly details: readonly Detail[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  get status(): number {
    return faultForms[this.code].status
  }
}

const plainFaults = new Map<FaultCode, HttpFault>()

/** The fault of a code. Cached, because capturing the stack of an error is expensive and nobody reads this stack. */
export function plainFault(code: FaultCode): HttpFault {
  let fault = plainFaults.get(code)
  if (fault === undefined) {
    fault = new HttpFault(code)
    plainFaults.set(code, fault)
  }
  return fault
}

/** The fault of a body of more than `limit` bytes. The message names the limit. */
export function bodyBeyond(limit: number): HttpFault {
  const message = `The body is larger than ${String(limit)} bytes. Send less at once.`
  return new HttpFault('body_too_large', message)
}

export function faultHeaders(fault: HttpFault): Readonly<Record<string, string>> {
  if (fault.status !== 503 && fault.status !== 429) return fault.headers
  return { 'Retry-After': String(retryAfterSeconds), ...fault.headers }
}
