import type { SegmentBuilt } from '../../../../domain/segments/segment-facts.js'
import { FlipTally } from './flip-tally.js'
import { textOf, type ToldFlip } from './told-flip.js'

/**
 * What the log was told of the members of a segment since it serves the version that it does. Where that
 * version is not built here yet, what is told is ahead of what is derived, and a build derives it in
 * another order: then both are counted, to be compared when the build has come to its end.
 */
export interface Telling {
  readonly key: string
  /** What the `SegmentBuilt` said (`figuresIn`). */
  readonly built: string
  /** What is told is compared with what was derived here, one by one. */
  isCompared: boolean
  /** Told before it was derived. */
  readonly told: FlipTally
  /** Derived of what was told: all before `lastAt`. */
  readonly derived: FlipTally
  /** The instant of what was told last, in milliseconds since 1970; 0: nothing was told. */
  lastAt: number
  /** What was told last, as `textOf` says it. */
  lastFlip: string
  /** How what was told differs from what was derived here; undefined: it does not. */
  divergence: string | undefined
}

export function newTelling(key: string, built: string, isCompared: boolean): Telling {
  const tallies = { told: new FlipTally(), derived: new FlipTally() }
  return { key, built, isCompared, ...tallies, lastAt: 0, lastFlip: '', divergence: undefined }
}

/** Takes in what is told ahead. False: it is not told in order. */
export function tellAhead(telling: Telling, flip: ToldFlip): boolean {
  if (flip.at < telling.lastAt) return false
  telling.lastAt = flip.at
  telling.lastFlip = textOf(flip)
  telling.told.add(telling.lastFlip)
  return true
}

/** What must be the same in every process. */
export function figuresIn(data: Omit<SegmentBuilt['data'], 'segment'>): string {
  const { version, through, members, digest, builtAt } = data
  const resolved = Object.entries(data.resolved).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify([version, through, members, digest, builtAt, resolved])
}
