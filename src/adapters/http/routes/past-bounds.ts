import { pastInstantViolations } from '../../../domain/instant.js'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import type { PastBounds } from '../../../application/segments/ports/segment-queries.js'
import { detailOf } from '../errors/faults.js'
import { instant } from '../requests/parameters.js'
import type { Query } from '../requests/query.js'
import { brokenRules } from '../requests/validate.js'

/** The parameters of reads that may be about the past. */
export const asOf = instant(
  'as_of',
  'By the facts that took effect by then: events by their own time, properties by when they changed.',
)
export const knownAt = instant('known_at', 'By the facts that were known then.')

/** In milliseconds since 1970, as they were sent. Throws `validation_failed` for those later than now. */
export function pastOf(query: Query, clock: Clock): PastBounds {
  const details = [asOf, knownAt].flatMap((parameter) => {
    const bound = query.of(parameter)
    const violations = bound === undefined ? [] : pastInstantViolations(bound, clock.now())
    return violations.map((violation) => detailOf(violation, [parameter.name]))
  })
  if (details.length > 0) throw brokenRules(details)
  return { asOf: query.of(asOf)?.getTime(), knownAt: query.of(knownAt)?.getTime() }
}
