import fc from 'fast-check'
import type { PastBounds } from '../../../src/application/segments/ports/segment-queries.js'
import type { TimedFact } from './log-facts.js'
import { beginning } from './random-rules.js'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** An instant near the time of some fact in the log, or near the fact's own instant. */
interface SomeInstant {
  /** Selects a fact, from 0 (first) to 1 (last). Later facts are more likely. */
  readonly fact: number
  readonly away: number
}

const someInstant: fc.Arbitrary<SomeInstant> = fc.record({
  fact: fc.nat({ max: 10_000 }).map((share) => Math.sqrt(share / 10_000)),
  away: fc.constantFrom(
    ...[0, 0, 0, 0, 0, 0, 0, 0, -1, 1, minute, -minute, hour, -hour, day, -day, -7 * day],
    ...[minute - 1, hour + 1, day - 1, 7 * day, 30 * day],
  ),
})

/** Bounds of a question, before the log is known. */
export interface SomeBounds {
  readonly asOf: SomeInstant | undefined
  readonly knownAt: SomeInstant | undefined
}

export const someBounds: fc.Arbitrary<SomeBounds> = fc.record({
  asOf: fc.option(someInstant, { nil: undefined, freq: 2 }),
  knownAt: fc.option(someInstant, { nil: undefined, freq: 2 }),
})

export function boundsIn(log: readonly TimedFact[], { asOf, knownAt }: SomeBounds): PastBounds {
  return { asOf: asOf && instantIn(log, asOf), knownAt: knownAt && instantIn(log, knownAt) }
}

function instantIn(log: readonly TimedFact[], { fact, away }: SomeInstant): number {
  const near = log[Math.floor(fact * (log.length - 1))]?.logTime ?? beginning
  return near + away
}
