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
    'Uses only facts whose own time is this time or earlier. The own time is the time that the ' +
      'caller sent, or else the time of recording.',
  ),
  known_at: instant('Uses only facts that were known at this time.'),
})

/** Returns the bounds in milliseconds since 1970. Throws `validation_failed` for instants in the future. */
export function pastOf({ as_of, known_at }: z.infer<typeof pastQuery>, clock: Clock): PastBounds {
  const details = Object.entries({ as_of, known_at }).flatMap(([name, bound]) =>
    bound === undefined
      ? []
      : pastInstantViolations(new Date(bound), clock.now()).map((one) => detailOf(one, [name])),
  )
  if (details.length > 0) throw brokenRules(details)
  return { asOf: as_of, knownAt: known_at }
}

/**
 * Returns the bounds for the scope of a cursor. Returns an empty list without bounds, so that
 * cursors of earlier releases stay valid.
 */
export function boundsScope({ asOf, knownAt }: PastBounds): readonly (number | null)[] {
  return asOf === undefined && knownAt === undefined ? [] : [asOf ?? null, knownAt ?? null]
}
