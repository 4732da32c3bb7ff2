import type { Detail, Fault, FaultCode } from './api-types.js'

/**
 * Error codes that this client itself creates.
 *
 * - `no_reply`: no connection, a broken connection, or no reply in time.
 * - `unreadable_reply`: the reply does not come from Dossier.
 * - `not_sent`: an item of a batch was held back, because an earlier item of its entity may still
 * be stored.
 */
export type ClientCode = 'no_reply' | 'unreadable_reply' | 'not_sent'

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

/**
 * The error of every failed call. Only an aborted call throws the reason of the caller's own
 * `AbortSignal` instead.
 */
export class DossierError extends Error {
  override readonly name = 'DossierError'
  readonly code: FaultCode | ClientCode
  /** The HTTP status. Undefined without a reply. */
  readonly status: number | undefined
  /** Every rule that the request breaks, with the path of the value that breaks it. */
  readonly details: readonly Detail[]
  /**
   * The request id, which helps the operator of the service to find the request. Undefined without
   * a reply.
   */
  readonly requestId: string | undefined
  /**
   * Whether the call may have stored something. `no`: the call certainly stored nothing. `unknown`:
   * one of its attempts may be stored.
   */
  readonly stored: 'no' | 'unknown'
  /** The `Retry-After` of the service, in milliseconds. */
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

  /** Whether the same call may succeed later. */
  get isPassing(): boolean {
    return this.status === undefined ? this.code === 'no_reply' : isPassingStatus(this.status)
  }

  /**
   * Returns this error. Sets `stored` to `unknown` if an earlier attempt may be stored.
   *
   * @internal
   */
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

/**
 * Statuses of temporary failures of the service, or of a proxy in front of it.
 *
 * @internal
 */
export function isPassingStatus(status: number): boolean {
  return [408, 429, 502, 503, 504].includes(status)
}

/**
 * Builds the error of an unsuccessful reply. `body` is its parsed JSON. `isWrite` says whether the request is
 * a write.
 *
 * @internal
 */
export function faultOf(response: Response, body: unknown, isWrite: boolean): DossierError {
  const { status, headers } = response
  const retryAfterMs = retryAfterIn(headers.get('retry-after'))
  const fault = faultIn(body)
  if (fault === undefined) {
    const message = `The reply (${String(status)}) does not come from Dossier. Check the address, and any proxy in front of it.`
    const isUnknown = isWrite && (status >= 500 || (status >= 200 && status < 300))
    const stored = isUnknown ? 'unknown' : 'no'
    return new DossierError({ code: 'unreadable_reply', message, status, stored, retryAfterMs })
  }
  return new DossierError({
    ...errorParts(fault, status, isWrite),
    retryAfterMs,
  })
}

/**
 * Builds the properties of an error. After 500 and 504, `stored` of a write is `unknown`.
 *
 * @internal
 */
export function errorParts(fault: Fault, status: number, isWrite: boolean): ErrorParts {
  const { code, details, request_id: requestId } = fault
  const stored = isWrite && (status === 500 || status === 504) ? 'unknown' : 'no'
  const message =
    code === 'position_unknown'
      ? `${fault.message} Call forget(), which drops the Position that this client sends.`
      : fault.message
  return { code, message, status, details, requestId, stored }
}

/**
 * Finds the fault in a body. For paths under `/v1`, the body itself is the fault. For other paths,
 * its member `error` is the fault.
 */
function faultIn(body: unknown): Fault | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if ('error' in body && isFault(body.error)) return body.error
  return isFault(body) ? { ...body, details: [] } : undefined
}

function isFault(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && 'code' in error && 'request_id' in error
}

/**
 * Parses JSON. Returns undefined for other text.
 *
 * @internal
 */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Converts the value of `Retry-After`, which is seconds or a date, to milliseconds.
 *
 * @internal
 */
export function retryAfterIn(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^[0-9]+$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
