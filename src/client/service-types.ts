/** The holder, the scopes and the limits of a key. */
export interface Key {
  readonly name: string
  readonly scopes: readonly ('read' | 'write' | 'segments' | 'track' | 'erase')[]
  readonly limits: {
    /** Per process. Null: no limit of its own. */
    readonly requests_a_second: number | null
    readonly body_bytes: number
    readonly batch_bytes: number
    readonly batch_items: number
  }
}

/** The state of a process. */
export interface ServiceStatus {
  readonly version: string
  /** `sqlite`, `eventstoredb`, `memory`. */
  readonly store_kind: string
  readonly store: 'ready' | 'store_unavailable' | 'clock_untrusted' | 'shutting_down'
  /**
   * `stalled`: following the fact log fails, and the application log has the reason. `off`: there is no read
   * model.
   */
  readonly reads: 'ready' | 'building' | 'stalled' | 'off'
  /** The position of the last fact that is known to be stored. */
  readonly head: string | null
  /** The position of the last fact that reads include. */
  readonly position: string | null
  /** The distance from `position` to `head`: facts, or bytes with EventStoreDB. */
  readonly lag_positions: number | null
  readonly log_time: string | null
  readonly segments: {
    /** Membership changes that are derived but not in the log yet. */
    readonly unpublished: number
    readonly unpublished_since: string | null
    readonly diverged: number
  } | null
}

export interface RefusalsQuery {
  /** `next_after` of the previous page. */
  readonly after?: string
  readonly limit?: number
}

/** A write, or an item of a batch, that was refused with 4xx. Contains no values of the request. */
export interface Refusal {
  readonly id: string
  readonly at: string
  readonly request_id: string
  /** The name of the API key. */
  readonly key: string
  readonly method: string
  /** The pattern of the request's path. */
  readonly route: string
  readonly status: number
  readonly code: string
  /** The meaning of the code, for people. */
  readonly message: string
  /** A name in a path that may identify an entity is replaced by `…`. */
  readonly details: readonly { readonly path: string; readonly code: string }[]
}

export interface Refusals {
  readonly items: readonly Refusal[]
  readonly next_after: string
  /**
   * True when refusals before the first item are missing: another process replied, or the refusals were
   * dropped.
   */
  readonly reset: boolean
  /** Requests without a valid key since the process started. */
  readonly unauthenticated: number
}
