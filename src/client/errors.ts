/** Codes of the service's faults, which are published and stable. */
export type FaultCode =
  | 'malformed_json'
  | 'malformed_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'entity_not_found'
  | 'segment_not_found'
  | 'erasure_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'entity_exists'
  | 'too_many_segments'
  | 'kind_differs'
  | 'segment_in_use'
  | 'segment_by_rule'
  | 'not_ready'
  | 'not_possible'
  | 'entity_erased'
  | 'precondition_failed'
  | 'position_unknown'
  | 'body_too_large'
  | 'append_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'too_many_facts'
  | 'not_searchable'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'store_unavailable'
  | 'read_model_behind'
  | 'building'
  | 'overloaded'
  | 'clock_untrusted'
  | 'shutting_down'
  | 'outcome_unknown'

/**
 * What this client says beside them. `no_reply`: no connection, a broken one, or no reply in time.
 * `unreadable_reply`: the reply is none of Dossier's. `not_sent`: an item of a batch that was held back,
 * because an earlier one of the same entity may be stored later.
 */
export type ClientCode = 'no_reply' | 'unreadable_reply' | 'not_sent'

export type DetailCode =
  | 'required'
  | 'wrong_type'
  | 'empty'
  | 'too_long'
  | 'too_many'
  | 'too_deep'
  | 'unknown_field'
  | 'bad_characters'
  | 'ill_formed'
  | 'number_out_of_range'
  | 'conflict'
  | 'unknown_operation'
  | 'not_a_time'
  | 'in_future'
  | 'unknown_segment'
  | 'cycle'

/** One broken rule of a request. */
export interface Detail {
  /** A JSON Pointer into the body; `""` is the body. */
  readonly path: string
  readonly code: DetailCode
  readonly message: string
}

/** A fault as the service answers it. */
export interface Fault {
  readonly code: FaultCode
  readonly message: string
  readonly details: readonly Detail[]
  readonly request_id: string
}

export interface ErrorParts {
  readonly code: FaultCode | ClientCode
  readonly message: string
  readonly status?: number | undefined
  readonly details?: readonly Detail[] | undefined
  readonly requestId?: string | undefined
  readonly stored: 'no' | 'unknown'
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** What every call of this client rejects with, but for the reason of the caller's own `AbortSignal`. */
export class DossierError extends Error {
  override readonly name = 'DossierError'
  readonly code: FaultCode | ClientCode
  /** The HTTP status; undefined where there was no reply. */
  readonly status: number | undefined
  /** Every rule that the request breaks, each with its place. */
  readonly details: readonly Detail[]
  /** For the operator of the service; undefined where there was no reply. */
  readonly requestId: string | undefined
  /** `no`: nothing of the call is stored. `unknown`: one of its sendings may be. */
  readonly stored: 'no' | 'unknown'
  /** What the service asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? {} : { cause: parts.cause })
    this.code = parts.code
    this.status = parts.status
    this.details = parts.details ?? []
    this.requestId = parts.requestId
    this.stored = parts.stored
    this.retryAfterMs = parts.retryAfterMs
  }

  /** Whether the same call may get another answer later. */
  get isPassing(): boolean {
    return this.status === undefined ? this.code === 'no_reply' : isPassingStatus(this.status)
  }

  /** The same, saying that an earlier sending may be stored. */
  after(stored: 'no' | 'unknown'): DossierError {
    if (stored === 'no' || this.stored === stored) return this
    const { code, message, status, details, requestId, retryAfterMs, cause } = this
    return new DossierError({
      code,
      message,
      status,
      details,
      requestId,
      stored,
      retryAfterMs,
      cause,
    })
  }
}

/** 408 and 429, and what the service or a proxy before it says while something is away. */
export function isPassingStatus(status: number): boolean {
  return [408, 429, 502, 503, 504].includes(status)
}

/**
 * The error of a reply that is no success. `body`: the value of its JSON. `isWrite`: the request asks for
 * something to be stored.
 */
export function faultOf(response: Response, body: unknown, isWrite: boolean): DossierError {
  const { status, headers } = response
  const retryAfterMs = retryAfterIn(headers.get('retry-after'))
  const fault = faultIn(body)
  if (fault === undefined) {
    const message = `The reply (${String(status)}) is none of Dossier's: check the address and what lies before it.`
    const isUnknown = isWrite && (status >= 500 || (status >= 200 && status < 300))
    const stored = isUnknown ? 'unknown' : 'no'
    return new DossierError({ code: 'unreadable_reply', message, status, stored, retryAfterMs })
  }
  return new DossierError({
    ...errorParts(fault, status, isWrite),
    retryAfterMs,
  })
}

/** 500 and 504 alone leave open whether a write is stored. */
export function errorParts(fault: Fault, status: number, isWrite: boolean): ErrorParts {
  const { code, details, request_id: requestId } = fault
  const stored = isWrite && (status === 500 || status === 504) ? 'unknown' : 'no'
  const message =
    code === 'position_unknown'
      ? `${fault.message} Call forget(), which drops the Position that this client carries.`
      : fault.message
  return { code, message, status, details, requestId, stored }
}

/** In the form of all paths, or in that of `/v1`, where it is the body itself. */
function faultIn(body: unknown): Fault | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if ('error' in body && isFault(body.error)) return body.error
  return isFault(body) ? { ...body, details: [] } : undefined
}

function isFault(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && 'code' in error && 'request_id' in error
}

/** Undefined when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Milliseconds, from a header that has seconds or a date. */
export function retryAfterIn(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^[0-9]+$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
