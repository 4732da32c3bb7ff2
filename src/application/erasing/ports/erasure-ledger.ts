/**
 * The ids of all erased entities, kept outside of the store. After an older copy of the store is restored, the
 * service erases these entities again. Ids are added and never removed.
 */
export interface ErasureLedger {
  readonly entityIds: ReadonlySet<string>
  /** Resolves when all given ids are durable. */
  add(entityIds: Iterable<string>): Promise<void>
}
