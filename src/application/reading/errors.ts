import { Overloaded } from '../ports/store-errors.js'

/** No entity has this id, by the facts applied here; or none had it by the times that the read names. */
export class NoSuchEntity extends Error {
  readonly code = 'entity_not_found'
  override readonly name = 'NoSuchEntity'

  /** `position`: of the last fact that is applied here. `isOfPast`: the read is bounded by a time. */
  constructor(
    readonly position: number,
    readonly isOfPast: boolean,
  ) {
    super('no entity has this external_id')
  }
}

/** No live segment has this key, by the facts applied here. */
export class NoSuchSegment extends Error {
  readonly code = 'segment_not_found'
  override readonly name = 'NoSuchSegment'

  /** `position`: of the last fact that is applied here. */
  constructor(readonly position: number) {
    super('no segment has this key')
  }
}

/** Nothing of the segment is served here yet: it is being built. */
export class SegmentBuilding extends Error {
  readonly code = 'building'
  override readonly name = 'SegmentBuilding'

  /** `position`: of the last fact that is applied here. */
  constructor(readonly position: number) {
    super('the segment is being built')
  }
}

/** The read model does not know enough yet. Send the request again, or without a position. */
export class ReadModelBehind extends Error {
  readonly code = 'read_model_behind'
  override readonly name = 'ReadModelBehind'

  /** `position`: of the last fact that it has applied. */
  constructor(readonly position: number) {
    super('the read model does not know enough yet')
  }
}

/** The position lies beyond the end of the store: it is of another store, or of one that was restored. */
export class PositionUnknown extends Error {
  readonly code = 'position_unknown'
  override readonly name = 'PositionUnknown'

  /** `position`: of the last fact that is applied here. */
  constructor(readonly position: number) {
    super('the store has not come to this position')
  }
}

/** An answer about the past would need more facts than are folded on demand. */
export class TooManyFacts extends Error {
  readonly code = 'too_many_facts'
  override readonly name = 'TooManyFacts'
}

/** Whether an answer was refused with this: the read model itself has not failed. */
export function isRefusal(error: unknown): boolean {
  const kinds = [ReadModelBehind, TooManyFacts, SegmentBuilding, Overloaded]
  return kinds.some((kind) => error instanceof kind)
}
