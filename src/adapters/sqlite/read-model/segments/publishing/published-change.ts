import {
  enteringCauses,
  type EntityEnteredSegment,
  type EntityLeftSegment,
  type PublishedCause,
} from '../../../../../domain/segments/segment-facts.js'
import type { Since } from '../../../../../domain/segments/timeline.js'

/**
 * The sort key of a membership change. Changes of a segment are sorted by `at`, then by `position`, then by
 * entity. Among changes at one instant, changes caused by timers come before changes caused by facts.
 */
export interface ChangePlace {
  /** The instant of the change, in milliseconds since 1970. */
  readonly at: number
  /** The position of the fact that caused the change, or 0 when a timer caused it. */
  readonly position: number
}

/** The log time and the position of a fact, for comparison with the sort key of a change. */
export type ChangeBound = Pick<Since, 'logTime' | 'position'>

/** Returns whether the sort key of a change is higher than the log time and position of a fact. */
export function isAfter({ at, position }: ChangePlace, since: ChangeBound): boolean {
  return at > since.logTime || (at === since.logTime && position > since.position)
}

export interface PublishedChange {
  readonly enters: boolean
  readonly entityId: string
  /** The instant of the change, in milliseconds since 1970. */
  readonly at: number
  readonly cause: PublishedCause
}

export function changeOf({
  type,
  data,
}: EntityEnteredSegment | EntityLeftSegment): PublishedChange {
  const { entityId, at, cause } = data
  return { enters: type === 'EntityEnteredSegment', entityId, at: Date.parse(at), cause }
}

export function isSameChange(left: PublishedChange, right: PublishedChange): boolean {
  return (
    left.at === right.at &&
    left.entityId === right.entityId &&
    left.enters === right.enters &&
    left.cause.kind === right.cause.kind &&
    left.cause.factId === right.cause.factId
  )
}

const kinds: readonly PublishedCause['kind'][] = [...enteringCauses, 'erased']

/**
 * Returns `name` as a kind of cause. Throws for a kind whose changes are not published, such as a definition.
 */
export function publishedKind(name: string): PublishedCause['kind'] {
  const found = kinds.find((kind) => kind === name)
  if (found === undefined) throw new TypeError(`expected a cause that is published, not ${name}`)
  return found
}

/** Returns the cause that two columns of a row contain. */
export function causeIn(kind: unknown, factId: unknown): PublishedCause {
  const known = { kind: publishedKind(String(kind)) }
  return typeof factId === 'string' ? { ...known, factId } : known
}
