import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  PublishedCause,
} from '../../../../domain/segments/segment-facts.js'

/** A membership change of one segment, as it is published. */
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

/** The same for the same change, and for no other one. */
export function textOf({ enters, entityId, at, cause }: PublishedChange): string {
  return JSON.stringify([at, entityId, enters, cause.kind, cause.factId ?? null])
}

/** Whether two have the same text. */
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
]

/** A kind of cause by its name. What a definition does is not published of each member. */
export function publishedKind(name: string): PublishedCause['kind'] {
  const found = kinds.find((kind) => kind === name)
  if (found === undefined) throw new TypeError(`expected a cause that is published, not ${name}`)
  return found
}
