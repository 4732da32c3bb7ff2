import { Refusal, RefusalAt, RuleRefused } from '../../../application/ports/refusal.js'
import { maxViolations } from '../../../domain/properties.js'
import { faultOfRefusal } from './fault-of-refusal.js'
import { bodyBeyond, detailOf, HttpFault, plainFault } from './faults.js'

/**
 * Maps an error to the fault that the caller gets. `bodyLimit` is the largest body that the route accepts, in
 * bytes.
 */
export function faultOf(error: unknown, bodyLimit?: number): HttpFault {
  if (error instanceof HttpFault) return error
  if (error instanceof Refusal) return refusedFault(error)
  switch (frameworkStatus(error)) {
    case undefined:
      return plainFault('internal_error')
    case 413:
      return bodyLimit === undefined ? plainFault('body_too_large') : bodyBeyond(bodyLimit)
    case 415:
      return plainFault('unsupported_media_type')
    default:
      return plainFault('malformed_request')
  }
}

/**
 * Returns the fault of a use case's refusal. A refused read reports the position that the read model has applied.
 */
function refusedFault(refusal: Refusal): HttpFault {
  const { code, message } = faultOfRefusal(refusal.code)
  if (refusal instanceof RuleRefused) {
    const details = refusal.violations.map((violation) => detailOf(violation, [refusal.of]))
    return new HttpFault(code, undefined, details.slice(0, maxViolations))
  }
  if (refusal instanceof RefusalAt) {
    return new HttpFault(code, message, [], { Position: String(refusal.position) })
  }
  return message === undefined ? plainFault(code) : new HttpFault(code, message)
}

/** Returns the HTTP status of an error that Fastify itself threw. Undefined for other errors. */
function frameworkStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return undefined
  const { code, statusCode } = error
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
    ? statusCode
    : undefined
}
