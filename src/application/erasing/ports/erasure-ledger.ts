/**
 * The ids of all erased entities, kept outside of the store. When an older copy of the store is
 * restored, the service erases these entities again. Ids are added and never removed.
 */
export interface ErasureLedger {
  readonly entityIds: ReadonlySet<string>
  /** Rejects when no id can be added now. */
  check(): Promise<void>
  /** Resolves when all given ids are durable. */
  add(entityIds: Iterable<string>): Promise<void>
}
