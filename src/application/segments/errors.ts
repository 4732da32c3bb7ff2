import type { DefineRefusal } from '../../domain/segments/define-segment.js'
import type { RetireRefusal } from '../../domain/segments/retire-segment.js'

/** A change of a segment that is not to be had as things are. Nothing was written. */
export class SegmentRefused extends Error {
  override readonly name = 'SegmentRefused'

  constructor(readonly code: DefineRefusal | RetireRefusal) {
    super(`refused: ${code}`)
  }
}
