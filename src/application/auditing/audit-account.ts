/** What an audit of a read model looked at, and what it found. */
export interface AuditAccount {
  /** The position of the last fact that the read model has applied; 0 when there is none. */
  readonly position: number
  /** There, by the facts, in milliseconds since 1970; 0 when there is none. */
  readonly logTime: number
  /** All that the facts create. */
  readonly entities: number
  /** How many of them were folded from their own facts and compared with all that is answered of them. */
  readonly folded: number
  /** What they were folded of. */
  readonly facts: number
  readonly segments: readonly string[]
  /** Segments that cannot be compared now, and why. */
  readonly passedOver: readonly string[]
  readonly members: number
  /** One line each, for people. Entities are named by their `external_id`. */
  readonly differences: readonly string[]
}

/** The audit cannot be made. The message says why and what to do, for people. */
export class AuditRefused extends Error {
  readonly code = 'audit_refused'
  override readonly name = 'AuditRefused'
}
