import type { Definitions } from '../../../domain/segments/definitions.js'

/** The segments that there are. */
export interface DefinedSegments {
  /** As the store has them now. Rejects with `store_unavailable`. */
  definitions(): Promise<Definitions>
}
