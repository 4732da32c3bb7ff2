import { mayName, propertyChangeIn } from '../../../../application/facts/fact-text.js'
import { atOnce, type InPieces } from '../../../../domain/in-pieces.js'
import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { ChangeAt } from '../../../../domain/property-times.js'
import type { PropertyChange } from '../../../../domain/facts.js'
import type { TimelineCursor } from '../../../../application/reading/ports/read-model.js'
import type { FactReader } from '../../file/fact-reader.js'
import { changeKind } from '../fact-kinds.js'
import { batchesOf } from './batches.js'
import { ChangeGaps, type Gap } from './change-gaps.js'
import type { EntityLogs } from './entity-logs.js'
import { mergedByOwnTime, type OwnTimeEvent } from './own-time-order.js'

/** The result of a search in `nextOf` is kept only if the search read at least this number of other changes. */
const fewChanges = 6

interface LookedAt {
  readonly facts: Pick<FactReader, 'stored'>
  readonly logs: Pick<EntityLogs, 'byOwnTime' | 'changesAfter'>
  /** Writes the facts that the read model has buffered, so that `facts` finds them. */
  readonly writeFacts: () => void
}

/** Reads the creation and the property changes of an entity. An entity may have several logs. */
export class EntityChanges {
  private readonly gaps = new ChangeGaps()

  constructor(private readonly tables: LookedAt) {}

  /**
   * Yields the changes with own times up to `from` and positions below `position`, from the latest own time to the
   * earliest.
   */
  *latestFirst(logs: readonly number[], from: number, position: number): Generator<ChangeAt> {
    const range = { after: { at: from, position: Infinity }, end: -Infinity }
    const entries = logs.map((log) => this.tables.logs.byOwnTime('changes', log, 'desc', range))
    for (const places of this.batches(mergedByOwnTime(entries, 'desc'), position)) {
      yield* this.changesAt(places)
    }
  }

  /**
   * Returns the own time of the next change, in the order of own times, that sets or unsets a property after the
   * own time `after`. Ignores changes from `position` on. Reads changes until one matches.
   */
  nextOf(
    logs: readonly number[],
    name: string,
    after: number,
    position: number,
  ): number | undefined {
    return atOnce(this.searchNext(logs, name, after, position))
  }

  /**
   * Finds the result of `nextOf` in pieces. Each piece reads one batch of changes. The facts of the entity must not be
   * removed between the pieces.
   */
  *searchNext(
    logs: readonly number[],
    name: string,
    after: number,
    position: number,
  ): InPieces<number | undefined> {
    const range = { after: { at: after, position: Infinity }, end: Infinity }
    const entries = logs.map((log) => this.tables.logs.byOwnTime('changes', log, 'asc', range))
    const key = keyOf(logs, name)
    let read = 0
    for (const places of this.batches(mergedByOwnTime(entries, 'asc'), position)) {
      const [next] = this.timesOf(name, places)
      if (next !== undefined) {
        if (read >= fewChanges) this.gaps.add(key, { after, next, position })
        return next
      }
      const hasReadFew = read < fewChanges && read + places.length >= fewChanges
      read += places.length
      const gap = hasReadFew ? this.gaps.find(key, after, position) : undefined
      if (gap !== undefined) return yield* this.searchGap(logs, name, { after, position }, gap)
      yield
    }
    if (read >= fewChanges) this.gaps.add(key, { after, next: undefined, position })
    return undefined
  }

  /**
   * Answers with the result of a former search. Reads only changes that were added after that search, and only
   * those in the gap that it found.
   */
  private *searchGap(
    logs: readonly number[],
    name: string,
    { after, position }: { after: number; position: number },
    gap: Gap,
  ): InPieces<number | undefined> {
    let next = gap.next ?? Infinity
    const isInGap = ({ at }: OwnTimeEvent) => at > after && at < next
    for (const log of logs) {
      const since = this.tables.logs.changesAfter(log, gap.position - 1)
      for (const places of this.batches(since, position, isInGap)) {
        next = Math.min(next, ...this.timesOf(name, places))
        yield
      }
    }
    const found = next === Infinity ? undefined : next
    this.gaps.replace(keyOf(logs, name), gap, { after, next: found, position })
    return found
  }

  /** Yields the own times of the changes that set or unset a property. */
  private *timesOf(name: string, places: readonly TimelineCursor[]): Generator<number> {
    const quoted = JSON.stringify(name)
    const isWanted = (fact: StoredFact) => mayName(fact, quoted)
    for (const { at, change } of this.changesAt(places, isWanted)) {
      if (changesName(change, name)) yield at
    }
  }

  /** Yields the entries to read, in batches. */
  private batches(
    entries: Iterable<OwnTimeEvent>,
    before: number,
    isWanted: (entry: OwnTimeEvent) => boolean = () => true,
  ): Iterable<readonly OwnTimeEvent[]> {
    this.tables.writeFacts()
    const isRead = (entry: OwnTimeEvent) =>
      entry.position < before && entry.kind <= changeKind && isWanted(entry)
    return batchesOf(entries, isRead)
  }

  /** Reads the facts of entries. Skips facts that the store has removed, because their entity is being erased. */
  private *changesAt(
    places: readonly TimelineCursor[],
    isWanted: (fact: StoredFact) => boolean = () => true,
  ): Generator<ChangeAt> {
    const stored = this.tables.facts.stored(places.map(({ position }) => position))
    for (const { at, position } of places) {
      const fact = stored.get(position)
      const change = fact && isWanted(fact) ? propertyChangeIn(fact) : undefined
      if (change !== undefined) yield { at, change }
    }
  }
}

/** The key of the searches for a property in `ChangeGaps`. */
function keyOf(logs: readonly number[], name: string): string {
  return `${logs.join()}/${name}`
}

export function changesName({ set, unset }: PropertyChange, name: string): boolean {
  return Object.hasOwn(set, name) || unset.includes(name)
}
