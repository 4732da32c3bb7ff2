import { pastInstantViolations } from '../../../domain/instant.js'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import { instant } from '../requests/parameters.js'
import type { Query } from '../requests/query.js'
import { brokenRules } from '../requests/validate.js'

/** The parameters of reads that may be about the past. */
export const asOf = instant(
  'as_of',
  'By the facts that took effect by then: events by their own time, properties by when they changed.',
)
export const knownAt = instant('known_at', 'By the facts that were known then.')

/** The bounds that were sent. Throws `validation_failed` for those that are later than now. */
export function boundsOf(query: Query, clock: Clock) {
  const bounds = { asOf: query.of(asOf), knownAt: query.of(knownAt) }
  if (bounds.asOf === undefined && bounds.knownAt === undefined) return bounds
  const now = clock.now()
  const details = [
    ...laterThan(now, asOf.name, bounds.asOf),
    ...laterThan(now, knownAt.name, bounds.knownAt),
  ]
  if (details.length > 0) throw brokenRules(details)
  return bounds
}

function laterThan(now: Date, name: string, bound: Date | undefined) {
  const violations = bound === undefined ? [] : pastInstantViolations(bound, now)
  return violations.map(({ code, message }) => ({ path: `/${name}`, code, message }))
}
