import { z } from 'zod'
import { pastInstantViolations } from '../../../domain/instant.js'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import type { PastBounds } from '../../../application/segments/ports/segment-queries.js'
import { detailOf } from '../errors/faults.js'
import { instant } from '../requests/parameters.js'
import { brokenRules } from '../requests/validate.js'

/** The query parameters of reads that can show a past state. */
export const pastQuery = z.strictObject({
  as_of: instant(
    'Uses only facts that took effect by this time: events by their own time, properties by the time of their change.',
  ),
  known_at: instant('Uses only facts that were known at this time.'),
})

/** Returns the bounds in milliseconds since 1970. Throws `validation_failed` for instants in the future. */
export function pastOf(query: z.infer<typeof pastQuery>, clock: Clock): PastBounds {
  const details = Object.entries(query).flatMap(([name, bound]) =>
    bound === undefined
      ? []
      : pastInstantViolations(new Date(bound), clock.now()).map((one) => detailOf(one, [name])),
  )
  if (details.length > 0) throw brokenRules(details)
  return { asOf: query.as_of, knownAt: query.known_at }
}
