import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  ToldCause,
} from '../../../../domain/segments/segment-facts.js'

/** A flip of one segment, as the log is told of it. */
export interface ToldFlip {
  readonly enters: boolean
  readonly entityId: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly cause: ToldCause
}

export function flipOf({ type, data }: EntityEnteredSegment | EntityLeftSegment): ToldFlip {
  const { entityId, at, cause } = data
  return { enters: type === 'EntityEnteredSegment', entityId, at: Date.parse(at), cause }
}

/** The same for the same flip, and for no other one. */
export function textOf({ enters, entityId, at, cause }: ToldFlip): string {
  return JSON.stringify([at, entityId, enters, cause.kind, cause.factId ?? null])
}

/** Whether two have the same text. */
export function isSameFlip(left: ToldFlip, right: ToldFlip): boolean {
  return (
    left.at === right.at &&
    left.entityId === right.entityId &&
    left.enters === right.enters &&
    left.cause.kind === right.cause.kind &&
    left.cause.factId === right.cause.factId
  )
}

const kinds: readonly ToldCause['kind'][] = [
  'event',
  'properties',
  'created',
  'hand',
  'segment',
  'time',
]

/** Of a kind of cause by its name. What a definition does is not told of each member. */
export function toldKind(name: string): ToldCause['kind'] {
  const told = kinds.find((kind) => kind === name)
  if (told === undefined) throw new TypeError(`expected a cause that is told, not ${name}`)
  return told
}
