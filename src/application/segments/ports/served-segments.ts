/** `building`: another version than the one that is served is on its way, or none is served yet. */
export type SegmentStatus = 'building' | 'live' | 'diverged'

/** What is served of a segment in this process. Undefined while nothing is. */
export interface ServedSegment {
  readonly status: SegmentStatus
  readonly servingVersion: number | undefined
  /** From 0 to 1, while it is built. */
  readonly progress: number | undefined
  readonly members: number | undefined
  readonly digest: string | undefined
}

/** What is served of segments. */
export interface ServedSegments {
  /**
   * Of a version that was just defined, by the fact at `position`, as far as it can be said in `waitMs`
   * milliseconds: the definition is stored, whatever the read model does.
   */
  servedOf(defined: {
    readonly key: string
    readonly version: number
    readonly position: number
    readonly waitMs: number
  }): Promise<ServedSegment>
}
