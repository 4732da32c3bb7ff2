import { type Fact, meaningOf } from '../../../application/facts/fact-table.js'
import { type EntityFact, logTimeAfter } from '../../../domain/facts.js'
import { readFact } from '../../../application/facts/fact-format.js'
import { lazyEvent } from '../../../application/facts/lazy-event.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { StreamStarts } from './entity-ids.js'
import type { Slice } from './slice.js'
import type { ReadModelTables } from './read-model-tables.js'

export interface PlacedFact {
  readonly logged: LoggedFact
  readonly fact: Fact
  /** The effect of the fact on its entity. Undefined for a fact that is not about an entity. */
  readonly entity: EntityFact | undefined
  readonly erases: string | undefined
  /** The log time at the fact, in milliseconds since 1970. */
  readonly logTime: number
}

/** The `EntityErased` fact that erased an entity, with the log time at that fact. */
export interface ErasedBy {
  readonly logged: Pick<LoggedFact, 'position' | 'id'>
  readonly logTime: number
}

export interface ErasedNow {
  readonly entity: number
  readonly entityId: string
  readonly externalId: string
  /**
   * The `EntityErased`. Undefined when the store removed the facts of the entity before this read model read
   * the `EntityErased`.
   */
  readonly by: ErasedBy | undefined
}

/**
 * A projection over one connection. The projection applies facts to its tables inside the caller's transaction.
 */
export interface AppliedProjection {
  /**
   * Makes the long reads that are needed to apply these facts, in slices. Returns the facts, from the first one on,
   * whose reads are complete. The caller may apply these facts, and must call this method again before it applies
   * any other fact.
   */
  prepare?(facts: readonly PlacedFact[], slice: Slice): readonly PlacedFact[]
  /**
   * Applies facts. Each fact is passed once, in log order. Changes may stay in a buffer until `write` is
   * called.
   */
  apply(facts: readonly PlacedFact[]): void
  write(): void
  /**
   * Removes the entity from all queries at once. Large amounts of data may be removed later, in slices. The
   * caller calls `forget` of the projections in the reverse order of `apply`, because each projection reads the
   * tables of the projections before it.
   */
  forget(erased: ErasedNow): void
}

/** One projection of the read model: its tables, and the code that applies facts to the tables. */
export interface Projection {
  readonly tables: string
  /**
   * Opens the projection over the tables of one connection. The projection may append entries to `tables.logs`,
   * and the caller writes these entries.
   */
  over(tables: ReadModelTables): AppliedProjection
}

interface PlacingState {
  readonly logTime: number
  readonly tables: { readonly streams: StreamStarts | undefined }
  /**
   * Returns the log time at the fact `id`, with removed facts taken into account. `logTime` is the log time
   * that follows from the remaining facts alone.
   */
  readonly erasing: { logTimeAt(id: string, logTime: number): number }
}

/**
 * Parses facts and adds the log time at each fact. Stops before the first fact that cannot be parsed. `logTime`
 * is the log time before the first of `facts`. `streams` finds the position of a stream's first fact when the
 * store does not provide that position.
 */
export function placeFacts(
  facts: readonly LoggedFact[],
  { logTime: before, tables: { streams }, erasing }: PlacingState,
): { readonly placed: readonly PlacedFact[]; readonly unreadable?: { readonly error: unknown } } {
  const placed: PlacedFact[] = []
  let logTime = before
  for (const logged of facts) {
    let read: ReadFact | undefined
    try {
      read = readMeaning(logged)
    } catch (error) {
      return { placed, unreadable: { error } }
    }
    if (read === undefined) continue
    const { fact, meaning } = read
    const { entity } = meaning
    const erases = meaning.erases?.entityId
    const its = streams?.placed(logged, erases)
    // Skips the fact of an erased entity, which is not stored. The fact does not change log time either,
    // because the store will remove the fact.
    if (its === undefined || its.streamStart !== undefined) {
      logTime = erasing.logTimeAt(logged.id, logTimeAfter(logTime, meaning))
    }
    placed.push({ logged: its ?? logged, fact, entity, erases, logTime })
  }
  return { placed }
}

interface ReadFact {
  readonly fact: Fact
  readonly meaning: ReturnType<typeof meaningOf>
}

function readMeaning(logged: LoggedFact): ReadFact | undefined {
  const fact = lazyEvent(logged) ?? readFact(logged)
  return fact && { fact, meaning: meaningOf(fact) }
}
