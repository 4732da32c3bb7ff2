/** Who holds a key, what it may do, and how much at once. */
export interface Key {
  readonly name: string
  readonly scopes: readonly ('read' | 'write' | 'segments' | 'track' | 'erase')[]
  readonly limits: {
    /** At each process; null: as many as there is room for. */
    readonly requests_a_second: number | null
    readonly body_bytes: number
    readonly batch_bytes: number
    readonly batch_items: number
  }
}

/** How a process is. */
export interface ServiceStatus {
  readonly version: string
  /** `sqlite`, `eventstoredb`, `memory`. */
  readonly store_kind: string
  readonly store: 'ready' | 'store_unavailable' | 'clock_untrusted' | 'shutting_down'
  /** `stalled`: it cannot go on with the log, and its own log says why; `off`: it has no read model. */
  readonly reads: 'ready' | 'building' | 'stalled' | 'off'
  /** Position of the last fact that is known to be stored. */
  readonly head: string | null
  /** Position of the last fact that reads know. */
  readonly position: string | null
  /** From there to `head`: facts, or bytes of EventStoreDB. */
  readonly lag_positions: number | null
  readonly log_time: string | null
  readonly segments: {
    /** Enter and leave facts that are derived and not in the log yet. */
    readonly unpublished: number
    readonly unpublished_since: string | null
    readonly diverged: number
  } | null
}

export interface RefusalsQuery {
  /** `next_after` of the page before. */
  readonly after?: string
  readonly limit?: number
}

/** A write, or an item of a batch, that was refused with 4xx: no value of it is here. */
export interface Refusal {
  readonly id: string
  readonly at: string
  readonly request_id: string
  /** The name of its key. */
  readonly key: string
  readonly method: string
  /** The pattern of its path. */
  readonly route: string
  readonly status: number
  readonly code: string
  /** What the code means, for people. */
  readonly message: string
  /** A name in a path that may be a person's is `…`. */
  readonly details: readonly { readonly path: string; readonly code: string }[]
}

export interface Refusals {
  readonly items: readonly Refusal[]
  readonly next_after: string
  /** Something is missing before the first item: another process answers, or it has gone. */
  readonly reset: boolean
  /** Requests without a valid key since the process started. */
  readonly unauthenticated: number
}
