import { untilLater, type FaultForm } from './temporary-faults.js'
import type { RuleViolation, ViolationCode } from '../../../domain/rule-violation.js'

const apart =
  'The clocks of this replica and of the store are too far apart. Its operator must synchronise them (NTP).'

function untilFree(why: string) {
  return { status: 429, message: `${why} Ask again later.` }
}

/**
 * All faults by their error code. The codes are public and never change. A 503 reply to a write means that nothing
 * was stored; a 504 reply means that the outcome is unknown.
 */
const table = {
  malformed_json: { status: 400, message: 'The body is not JSON. Send one JSON object in UTF-8.' },
  malformed_request: { status: 400, message: 'The request is not well-formed HTTP.' },
  unauthenticated: {
    status: 401,
    message:
      'No valid key. Send one as "Authorization: Bearer KEY". The first start of the service wrote a key to ' +
      'data/first-key, and "dossier keys create" makes others.',
  },
  forbidden: {
    status: 403,
    message: 'This key does not have the scope that the request needs. Use a key with that scope.',
  },
  entity_not_found: {
    status: 404,
    message:
      'No entity has this external_id. Create it with POST /entities, or send "upsert": true with an event or a change.',
  },
  event_not_found: {
    status: 404,
    message:
      'The entity has no event with this id. GET /entities/{external_id}/events lists its events.',
  },
  segment_not_found: {
    status: 404,
    message: 'No segment has this key. GET /segments lists all segments.',
  },
  erasure_not_found: {
    status: 404,
    message: 'No erasure has this id. GET /erasures lists all erasures.',
  },
  webhook_not_found: {
    status: 404,
    message: 'No webhook has this key. GET /webhooks lists all webhooks.',
  },
  route_not_found: { status: 404, message: 'No route has this path. /openapi.json lists all.' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not accept this method. The Allow header lists the accepted ones.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time. Nothing was stored. Send the request again.',
  },
  entity_exists: {
    status: 409,
    message:
      'An entity with this external_id exists. It was not changed. Change its properties with PATCH /entities/{external_id}.',
  },
  too_many_segments: {
    status: 409,
    message: 'The limit of 200 segments is reached. Retire a segment first.',
  },
  too_many_webhooks: {
    status: 409,
    message: 'The limit of 50 webhooks is reached. Remove a webhook first.',
  },
  webhooks_off: {
    status: 409,
    message:
      'This process cannot do that for a webhook: WEBHOOKS or READ_MODEL is off, or its WEBHOOK_SECRET is not the one ' +
      'under which the webhook was defined. Nothing was stored. Ask another replica.',
  },
  kind_differs: {
    status: 409,
    message:
      'The kind of a segment never changes while it is live. Retire it first, or use another key.',
  },
  segment_in_use: {
    status: 409,
    message: "Another segment's rule names this segment. Change or retire the other segment first.",
  },
  segment_by_rule: {
    status: 409,
    message: 'The rule of this segment decides who is a member. Hand changes are refused.',
  },
  not_ready: {
    status: 409,
    message:
      'This process is not set up for this: ERASE or VOID is off, its user may not delete streams of EventStoreDB, ' +
      'or, for a dry run, READ_MODEL is off. Nothing was stored.',
  },
  not_possible: {
    status: 409,
    message:
      'The store can never do that: memory: erases nothing, and EventStoreDB never frees a blocked external_id.',
  },
  entity_erased: {
    status: 410,
    message:
      'The entity with this external_id was erased, and the external_id cannot be used again. Nothing was stored. ' +
      'Do not send the request again.',
  },
  precondition_failed: {
    status: 412,
    message:
      'The segment or webhook is not at a version that If-Match or If-None-Match allows. Nothing was stored. Read it, and decide again.',
  },
  position_unknown: {
    status: 412,
    message:
      'The store has not reached this position, or has another fact there. The position comes from another store, or from ' +
      'before a restore. Start again without it.',
  },
  body_too_large: { status: 413, message: 'The body is too large. Send a smaller one.' },
  append_too_large: {
    status: 413,
    message:
      'The facts of the request are larger than the store accepts in one write: 1 MiB, or a lower limit of the store. ' +
      'Nothing was stored. Send less data per request.',
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
      'The event was not found by the time in its id, and its entity has too many facts to search all of them. ' +
      'Check the id of the event.',
    readMessage:
      'The answer needs too many facts to compute it on demand. Ask without as_of and known_at, for fewer entities, ' +
      'or for events and the history.',
  },
  not_searchable: { status: 422, message: 'This property is not searchable.' },
  idempotency_key_reused: {
    status: 422,
    message:
      'This Idempotency-Key was used for this entity with another body. Use a new key for a new request.',
  },
  rate_limited: untilLater(
    429,
    'This key sends too many requests.',
    'after the number of seconds in Retry-After',
  ),
  preview_under_way: untilFree('This process runs another preview, and runs one at a time.'),
  search_under_way: untilFree(
    'This key runs another search, or this process runs two, which is the limit.',
  ),
  headers_too_large: {
    status: 431,
    message: 'The request line and headers are too large. Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed because of a bug. Tell its operator the request_id.',
  },
  store_unavailable: untilLater(503, 'The store is not available.', 'later'),
  read_model_behind: untilLater(
    503,
    'The read model of this replica lags: it has not applied the required facts yet.',
    'later, or without a Position, or at another replica',
  ),
  building: untilLater(
    503,
    'The segment is being built, and this replica does not serve it yet.',
    'later',
  ),
  overloaded: untilLater(
    503,
    'Too many requests are under way.',
    'later',
    'Too many reads are under way, by this key or in total, or clients have not received their replies yet.',
  ),
  clock_untrusted: {
    ...untilLater(503, apart, 'later, or to another replica'),
    readMessage: `${apart} This replica refuses writes until then.`,
  },
  shutting_down: untilLater(503, 'The service is stopping.', 'on a new connection'),
  outcome_unknown: {
    status: 504,
    message:
      'The store did not answer in time. The request may or may not be stored. Without an ' +
      'Idempotency-Key, sending the request again may store it twice.',
    keyedMessage:
      'The store did not answer in time. The request may or may not be stored. Send it again ' +
      'with the same Idempotency-Key. It is then stored once.',
  },
} as const satisfies Readonly<Record<string, FaultForm>>

export type FaultCode = keyof typeof table

export const faultForms: Readonly<Record<FaultCode, FaultForm>> = table

export const faultCodes: readonly string[] = Object.keys(table)

export function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export interface Detail {
  /**
   * For a body, a JSON Pointer; `""` is the whole body. For a path or query parameter, its name.
   */
  readonly path: string
  readonly code: ViolationCode
  readonly message: string
}

/** Returns the detail of a broken rule. `parent` is the path of the value that the rule checked. */
export function detailOf(
  { path, code, message }: RuleViolation,
  parent: readonly PropertyKey[] = [],
): Detail {
  return { path: pointer([...parent, ...path]), code, message }
}

/** The default value of Retry-After. */
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

/**
 * Returns the fault of a code with its default message. Caches faults, because capturing a stack is
 * expensive and nobody reads the stack of these faults.
 */
export function plainFault(code: FaultCode): HttpFault {
  let fault = plainFaults.get(code)
  if (fault === undefined) {
    fault = new HttpFault(code)
    plainFaults.set(code, fault)
  }
  return fault
}

/** Returns the fault of a body that is larger than `limit` bytes. The message states the limit. */
export function bodyBeyond(limit: number): HttpFault {
  const message = `The body is larger than ${String(limit)} bytes. Send a smaller one.`
  return new HttpFault('body_too_large', message)
}

export function faultHeaders(fault: HttpFault): Readonly<Record<string, string>> {
  if (fault.status !== 503 && fault.status !== 429) return fault.headers
  return { 'Retry-After': String(retryAfterSeconds), ...fault.headers }
}
