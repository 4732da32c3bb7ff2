import { propertyChangeIn } from '../../../../application/facts/fact-text.js'
import type { ChangeAt } from '../../../../domain/property-times.js'
import type { TimelineCursor } from '../../../../application/reading/ports/read-model.js'
import type { FactReader } from '../../file/fact-reader.js'
import { changeKind } from '../fact-kinds.js'
import type { EntityLogs } from './entity-logs.js'
import { mergedByOwnTime } from './own-time-order.js'

interface LookedAt {
  readonly facts: Pick<FactReader, 'stored'>
  readonly logs: Pick<EntityLogs, 'byOwnTime'>
  /** Writes the facts that the read model has buffered, so that `facts` finds them. */
  readonly writeFacts: () => void
}

/** The numbers of facts that are read together. Most searches end with the first fact. */
const [firstFacts, mostFacts] = [2, 64]

/** Reads the creation and the property changes of an entity. An entity may have several logs. */
export class EntityChanges {
  constructor(private readonly tables: LookedAt) {}

  /**
   * Yields the changes with own times up to `from` and positions below `position`, from the latest own time to the
   * earliest.
   */
  latestFirst(logs: readonly number[], from: number, position: number): Generator<ChangeAt> {
    const range = { after: { at: from, position: Infinity }, end: -Infinity }
    const entries = logs.map((log) => this.tables.logs.byOwnTime('changes', log, 'desc', range))
    return this.read(mergedByOwnTime(entries, 'desc'), position)
  }

  /**
   * Returns the own time of the first change, by own time, that sets or unsets a property after the own time
   * `after`. Counts changes with positions below `position`. Reads the changes after `after` until one is found.
   */
  nextOf(
    logs: readonly number[],
    name: string,
    after: number,
    position: number,
  ): number | undefined {
    let first: number | undefined
    for (const log of logs) {
      const range = { after: { at: after, position: Infinity }, end: Infinity }
      const entries = this.tables.logs.byOwnTime('changes', log, 'asc', range)
      for (const { at, change } of this.read(entries, position)) {
        if (first !== undefined && at >= first) break
        if (!Object.hasOwn(change.set, name) && !change.unset.includes(name)) continue
        first = at
        break
      }
    }
    return first
  }

  /** Reads the facts of entries. Skips facts that the store has removed, because their entity is being erased. */
  private *read(
    entries: Iterable<TimelineCursor & { readonly kind: number }>,
    before: number,
  ): Generator<ChangeAt> {
    this.tables.writeFacts()
    let places: TimelineCursor[] = []
    let most = firstFacts
    for (const { at, position, kind } of entries) {
      if (position >= before || kind > changeKind) continue
      places.push({ at, position })
      if (places.length < most) continue
      yield* this.changesAt(places)
      places = []
      most = Math.min(2 * most, mostFacts)
    }
    yield* this.changesAt(places)
  }

  private *changesAt(places: readonly TimelineCursor[]): Generator<ChangeAt> {
    const stored = this.tables.facts.stored(places.map(({ position }) => position))
    for (const { at, position } of places) {
      const fact = stored.get(position)
      const change = fact && propertyChangeIn(fact)
      if (change !== undefined) yield { at, change }
    }
  }
}
