/** The audit cannot be made. The message says why and what to do, for people. */
export class AuditRefused extends Error {
  readonly code = 'audit_refused'
  override readonly name = 'AuditRefused'
}
