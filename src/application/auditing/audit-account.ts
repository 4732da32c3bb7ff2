/** The result of an audit: the sizes that it compared, and the differences that it found. */
export interface AuditAccount {
  /** The position of the last fact that the read model has applied; 0 when there is none. */
  readonly position: number
  /** Log time at that fact, by the facts, in milliseconds since 1970; 0 when there is none. */
  readonly logTime: number
  /** All that were compared. */
  readonly entities: number
  /** How many of them were also folded one by one, without the code that builds read models. */
  readonly folded: number
  /** The facts of the folded entities. */
  readonly facts: number
  readonly segments: readonly string[]
  /** Segments and entities that cannot be compared now, and why. */
  readonly skipped: readonly string[]
  readonly members: number
  /** One line each, for people. Entities are named by their `external_id`. */
  readonly differences: readonly string[]
  /** How many more differences there are. */
  readonly moreDifferences: number
}

/** An estimate of the time and disk space that an audit takes. */
export interface AuditPlan {
  /** About as many as are read. */
  readonly facts: number
  readonly seconds: number
  /** Bytes of disk, until the audit ends. */
  readonly bytes: number
  readonly folder: string
}

type AuditStep = 'copying' | 'rebuilding' | 'segments' | 'comparing'

export interface AuditProgress {
  plan(plan: AuditPlan): void
  begin(step: AuditStep): void
  /** `facts` more are read, and `share` of the step is done, from 0 to 1. */
  done(facts: number, share: number): void
}

/** The audit cannot be made. The message says why and what to do, for people. */
export class AuditRefused extends Error {
  readonly code = 'audit_refused'
  override readonly name = 'AuditRefused'
}
