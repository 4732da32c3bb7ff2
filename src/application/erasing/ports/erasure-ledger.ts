/**
 * The ids of the entities that were erased, outside of the store: what an older copy of the store does not
 * know is erased again. Ids are added and never removed.
 */
export interface ErasureLedger {
  readonly entityIds: ReadonlySet<string>
  /** Resolves when those that are new are durable. */
  add(entityIds: Iterable<string>): Promise<void>
}
