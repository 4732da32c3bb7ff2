/**
 * The result of an audit: the numbers of compared entities, facts and members, and the differences.
 */
export interface AuditAccount {
  /** The position of the last fact that the read model has applied, or 0 when there is none. */
  readonly position: number
  /** The log time at that position, computed from the facts, in milliseconds since 1970. 0 when there is no fact. */
  readonly logTime: number
  /** The number of compared entities. */
  readonly entities: number
  /**
   * The number of entities that were also replayed one by one. This replay uses other code than the
   * rebuild of a read model.
   */
  readonly folded: number
  /** The number of facts of the replayed entities. */
  readonly facts: number
  readonly segments: readonly string[]
  /** Lines of text that name the segments and entities that cannot be compared now, and the reasons. */
  readonly skipped: readonly string[]
  readonly members: number
  /** Lines of text, one per difference. Entities are named by their `external_id`. */
  readonly differences: readonly string[]
  /** The number of further differences that are not in `differences`. */
  readonly moreDifferences: number
}

/** An estimate of the time and disk space that an audit takes. */
export interface AuditPlan {
  /** The approximate number of facts that the audit reads. */
  readonly facts: number
  readonly seconds: number
  /** The disk space that the audit needs until it ends, in bytes. */
  readonly bytes: number
  readonly folder: string
}

type AuditStep = 'copying' | 'rebuilding' | 'segments' | 'comparing'

export interface AuditProgress {
  plan(plan: AuditPlan): void
  begin(step: AuditStep): void
  /**
   * Reports that `facts` more facts were read. `share` is the finished share of the current step,
   * from 0 to 1.
   */
  done(facts: number, share: number): void
}

/** Thrown when the audit cannot run. The message tells people the reason and what to do. */
export class AuditRefused extends Error {
  readonly code = 'audit_refused'
  override readonly name = 'AuditRefused'
}
