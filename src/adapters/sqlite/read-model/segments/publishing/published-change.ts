import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  PublishedCause,
} from '../../../../../domain/segments/segment-facts.js'
import type { Since } from '../../../../../domain/segments/timeline.js'
import { readFact } from '../../../../../application/facts/fact-format.js'
import { prepareRows, type Database, type Statement } from '../../../file/driver.js'
import { numberIn } from '../../../file/row.js'
import { missing, type FactReader } from '../../../file/fact-reader.js'

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

/** Formats a change as text. Two changes have equal texts only if they are the same change. */
export function textOf({ enters, entityId, at, cause }: PublishedChange): string {
  return JSON.stringify([at, entityId, enters, cause.kind, cause.factId ?? null])
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

/** Reads the published changes of a segment at one instant. */
export class PublishedAt {
  private readonly positions: Statement

  constructor(
    db: Database,
    private readonly facts: FactReader,
  ) {
    this.positions = prepareRows(
      db,
      'SELECT position FROM changes WHERE segment = ? AND at = ? AND position > ? ORDER BY position',
    )
  }

  of(segment: string, at: number): readonly PublishedChange[] {
    return this.publishedAfter(segment, at, 0).flatMap(({ change }) => change ?? [])
  }

  /** The changes published after position `after`, in log order. */
  publishedAfter(segment: string, at: number, after: number): readonly PlacedAt[] {
    const positions = this.positions.all(segment, at, after).map((row) => numberIn(row) ?? 0)
    if (positions.length === 0) return []
    const stored = this.facts.stored(positions)
    return positions.map((position) => {
      const fact = readFact(stored.get(position) ?? missing(position))
      const isChange = fact?.type === 'EntityEnteredSegment' || fact?.type === 'EntityLeftSegment'
      return { position, change: isChange ? changeOf(fact) : undefined }
    })
  }
}

interface PlacedAt {
  readonly position: number
  readonly change: PublishedChange | undefined
}
