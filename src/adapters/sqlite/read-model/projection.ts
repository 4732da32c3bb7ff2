import { type Fact, meaningOf } from '../../../application/facts/fact-table.js'
import { type EntityFact, logTimeAfter } from '../../../domain/facts.js'
import { readFact } from '../../../application/facts/fact-format.js'
import { lazyEvent } from '../../../application/facts/lazy-event.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { StreamStarts } from './entity-ids.js'
import type { ReadModelTables } from './read-model-tables.js'

export interface PlacedFact {
  readonly logged: LoggedFact
  readonly fact: Fact
  /** The fact's effect on its entity. Undefined when the fact is about no entity. */
  readonly entity: EntityFact | undefined
  readonly erases: string | undefined
  /** Log time at the fact, in milliseconds since 1970. */
  readonly logTime: number
}

/** An `EntityErased`, and the log time at it. */
export interface ErasedBy {
  readonly logged: Pick<LoggedFact, 'position' | 'id'>
  readonly logTime: number
}

export interface ErasedNow {
  readonly entity: number
  readonly entityId: string
  readonly externalId: string
  /** Undefined when the facts were removed before the `EntityErased` was read. */
  readonly by: ErasedBy | undefined
}

/** Applies facts to its tables, inside the caller's transaction. */
export interface AppliedProjection {
  /** Applies facts. Each fact comes once, in log order. Changes may be buffered until `write`. */
  apply(facts: readonly PlacedFact[]): void
  write(): void
  /**
   * Forgets an erased entity at once, so that nothing of it is found. Large data may be removed later, in steps.
   * The projections forget in the opposite order of `apply`, because each one reads the tables of earlier ones.
   */
  forget(erased: ErasedNow): void
}

/** One part of the read model: its tables, and the code that applies facts to them. */
export interface Projection {
  readonly tables: string
  /** Opens the projection. It need not write entries appended to `tables.logs`; the caller writes them. */
  over(tables: ReadModelTables): AppliedProjection
}

interface PlacingState {
  readonly logTime: number
  readonly tables: { readonly streams: StreamStarts | undefined }
  /** `logTimeAt` corrects the log time of a fact, which would be `logTime` by the facts that are left. */
  readonly erasing: { logTimeAt(id: string, logTime: number): number }
}

/**
 * Adds the log time to our facts, up to the first fact that cannot be read. `logTime` is the log time before the
 * facts. `streams` finds stream starts when the store does not provide them.
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
    // A fact of an erased entity is not stored and does not move log time, because the log will lose it.
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
