import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  PublishedCause,
} from '../../../../../domain/segments/segment-facts.js'
import type { Since } from '../../../../../domain/segments/timeline.js'

/**
 * Changes of a segment are ordered by `at`, then by `position`, then by entity. Changes caused by time come before
 * changes caused by facts at the same instant.
 */
export interface ChangePlace {
  /** In milliseconds since 1970. */
  readonly at: number
  /** The position of the fact that caused the change; 0 when time caused it. */
  readonly position: number
}

/** The place of a fact, for comparing changes with it. */
export type ChangeBound = Pick<Since, 'logTime' | 'position'>

/** Whether a change comes after a fact. */
export function isAfter({ at, position }: ChangePlace, since: ChangeBound): boolean {
  return at > since.logTime || (at === since.logTime && position > since.position)
}

export interface PublishedChange {
  readonly enters: boolean
  readonly entityId: string
  /** In milliseconds since 1970. */
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

const kinds: readonly PublishedCause['kind'][] = [
  'event',
  'properties',
  'created',
  'hand',
  'segment',
  'time',
  'erased',
]

/** Checks that changes with this kind of cause are published. Changes caused by a definition are not. */
export function publishedKind(name: string): PublishedCause['kind'] {
  const found = kinds.find((kind) => kind === name)
  if (found === undefined) throw new TypeError(`expected a cause that is published, not ${name}`)
  return found
}

/** Reads a cause from its columns. */
export function causeIn(kind: unknown, factId: unknown): PublishedCause {
  const known = { kind: publishedKind(String(kind)) }
  return typeof factId === 'string' ? { ...known, factId } : known
}
