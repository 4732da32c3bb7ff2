import {
  ClockUntrusted,
  EntityExists,
  EntityNotFound,
  EntityRemoved,
  IdempotencyKeyReused,
  MemberRefused,
} from '../../../application/recording/errors.js'
import {
  AppendTooLarge,
  OutcomeUnknown,
  Overloaded,
  StoreUnavailable,
} from '../../../application/ports/store-errors.js'
import {
  NoSuchEntity,
  NoSuchSegment,
  PositionUnknown,
  ReadModelBehind,
  SegmentBuilding,
  TooManyFacts,
} from '../../../application/reading/errors.js'
import { RuleRefused } from '../../../application/rule-refused.js'
import { SegmentRefused } from '../../../application/segments/errors.js'
import { maxViolations } from '../../../domain/properties.js'
import {
  bodyBeyond,
  detailOf,
  entityNotThereThen,
  entityRemoved,
  HttpFault,
  plainFault,
  type FaultCode,
} from './faults.js'

type ErrorClass = abstract new (...args: never[]) => Error

/** What an error of the inner API becomes outside. What is not listed is a bug: 500. */
const innerErrors: readonly (readonly [ErrorClass, FaultCode])[] = [
  [EntityExists, 'entity_exists'],
  [EntityRemoved, 'entity_exists'],
  [EntityNotFound, 'entity_not_found'],
  [IdempotencyKeyReused, 'idempotency_key_reused'],
  [AppendTooLarge, 'body_too_large'],
  [StoreUnavailable, 'store_unavailable'],
  [Overloaded, 'overloaded'],
  [ClockUntrusted, 'clock_untrusted'],
  [OutcomeUnknown, 'outcome_unknown'],
  [NoSuchEntity, 'entity_not_found'],
  [PositionUnknown, 'position_unknown'],
  [ReadModelBehind, 'read_model_behind'],
  [TooManyFacts, 'too_many_facts'],
  [NoSuchSegment, 'segment_not_found'],
  [SegmentBuilding, 'building'],
]

/** The fault that an error becomes in a reply. `bodyLimit`: of the route, in bytes. */
export function faultOf(error: unknown, bodyLimit?: number): HttpFault {
  if (error instanceof HttpFault) return error
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refusal
  for (const [kind, code] of innerErrors) {
    if (error instanceof kind) return innerFault(error, code)
  }
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

function innerFault(error: Error, code: FaultCode): HttpFault {
  if (error instanceof EntityRemoved) return new HttpFault(code, entityRemoved)
  if (!('position' in error)) return plainFault(code)
  const isOfPast = error instanceof NoSuchEntity && error.isOfPast
  return faultAt(code, String(error.position), isOfPast ? entityNotThereThen : undefined)
}

/** What is refused as segments are. */
function refusalOf(error: unknown): HttpFault | undefined {
  if (error instanceof SegmentRefused || error instanceof MemberRefused) {
    return plainFault(error.code)
  }
  if (!(error instanceof RuleRefused)) return undefined
  const details = error.violations.map((violation) => detailOf(violation, [error.of]))
  return new HttpFault('validation_failed', undefined, details.slice(0, maxViolations))
}

/** The fault of a read, with the position of the last fact that is applied here. */
function faultAt(code: FaultCode, position: string, message?: string): HttpFault {
  return new HttpFault(code, message, [], { Position: position })
}

/** The status that Fastify itself gives a request it refuses. */
function frameworkStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return undefined
  const { code, statusCode } = error
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
    ? statusCode
    : undefined
}
