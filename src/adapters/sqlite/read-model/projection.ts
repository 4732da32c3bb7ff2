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
  /** What it says of an entity; undefined where it is about none. */
  readonly entity: EntityFact | undefined
  readonly erases: string | undefined
  /** Log time at it, in milliseconds since 1970. */
  readonly logTime: number
}

/** An `EntityErased`, with log time at it. */
export interface ErasedBy {
  readonly logged: Pick<LoggedFact, 'position' | 'id'>
  readonly logTime: number
}

export interface ErasedNow {
  readonly entity: number
  readonly entityId: string
  readonly externalId: string
  /** Undefined: its facts are gone before its `EntityErased` came. */
  readonly by: ErasedBy | undefined
}

/** Writes what some facts change, inside a transaction that its caller makes. */
export interface AppliedProjection {
  /** The facts come once each, in the order of their positions. What they change may be buffered. */
  apply(facts: readonly PlacedFact[]): void
  write(): void
  /** Nothing may be found of the entity any more; what is large is removed by and by. */
  erase(erased: ErasedNow): void
}

/** One part of the read model: its tables, and how facts change them. */
export interface Projection {
  readonly tables: string
  /** What is appended to logs need not be written by it. */
  over(tables: ReadModelTables): AppliedProjection
}

interface PlacingState {
  readonly logTime: number
  readonly tables: { readonly streams: StreamStarts | undefined }
  /** `logTimeAt`: of a fact by its id, where it would be `logTime` by the facts that are there. */
  readonly erasing: { logTimeAt(id: string, logTime: number): number }
}

/**
 * Facts of ours with the log time at each, up to the first one that cannot be read. `logTime`: before
 * them. `streams`: where the store does not say itself where a stream begins.
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
    // What came behind an erasure is stored nowhere, and moves no log time: later it is gone from the log.
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
