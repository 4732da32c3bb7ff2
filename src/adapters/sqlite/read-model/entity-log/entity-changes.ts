import { propertyChangeIn } from '../../../../application/facts/fact-text.js'
import type { ChangeAt } from '../../../../domain/property-times.js'
import type { PropertyChange } from '../../../../domain/facts.js'
import type { TimelineCursor } from '../../../../application/reading/ports/read-model.js'
import type { FactReader } from '../../file/fact-reader.js'
import { changeKind } from '../fact-kinds.js'
import { batchesOf } from './batches.js'
import { ChangeGaps, type Gap } from './change-gaps.js'
import type { EntityLogs } from './entity-logs.js'
import { mergedByOwnTime, type OwnTimeEvent } from './own-time-order.js'

/** The result of a search in `nextOf` is kept only if the search read more changes than this number. */
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
  latestFirst(logs: readonly number[], from: number, position: number): Generator<ChangeAt> {
    const range = { after: { at: from, position: Infinity }, end: -Infinity }
    const entries = logs.map((log) => this.tables.logs.byOwnTime('changes', log, 'desc', range))
    return this.read(mergedByOwnTime(entries, 'desc'), position)
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
    const range = { after: { at: after, position: Infinity }, end: Infinity }
    const entries = logs.map((log) => this.tables.logs.byOwnTime('changes', log, 'asc', range))
    const key = `${logs.join()}/${name}`
    let read = 0
    for (const { at, change } of this.read(mergedByOwnTime(entries, 'asc'), position)) {
      if (changesName(change, name)) {
        if (read > fewChanges) this.gaps.add(key, { after, next: at, position })
        return at
      }
      read += 1
      if (read === fewChanges) {
        const gap = this.gaps.find(key, after, position)
        if (gap !== undefined) return this.nextAfterGap(logs, name, { key, after, position }, gap)
      }
    }
    if (read > fewChanges) this.gaps.add(key, { after, next: undefined, position })
    return undefined
  }

  /**
   * Answers with the result of a former search. Reads only changes that were added after that search, and only
   * those in the gap that it found.
   */
  private nextAfterGap(
    logs: readonly number[],
    name: string,
    { key, after, position }: { key: string; after: number; position: number },
    gap: Gap,
  ): number | undefined {
    let next = gap.next ?? Infinity
    const isInGap = ({ at }: OwnTimeEvent) => at > after && at < next
    for (const log of logs) {
      const since = this.tables.logs.changesAfter(log, gap.position - 1)
      for (const { at, change } of this.read(since, position, isInGap)) {
        if (changesName(change, name)) next = Math.min(next, at)
      }
    }
    const found = next === Infinity ? undefined : next
    this.gaps.replace(key, gap, { after, next: found, position })
    return found
  }

  /** Reads the facts of entries. Skips facts that the store has removed, because their entity is being erased. */
  private *read(
    entries: Iterable<OwnTimeEvent>,
    before: number,
    isWanted: (entry: OwnTimeEvent) => boolean = () => true,
  ): Generator<ChangeAt> {
    this.tables.writeFacts()
    const isRead = (entry: OwnTimeEvent) =>
      entry.position < before && entry.kind <= changeKind && isWanted(entry)
    for (const places of batchesOf(entries, isRead)) yield* this.changesAt(places)
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

function changesName({ set, unset }: PropertyChange, name: string): boolean {
  return Object.hasOwn(set, name) || unset.includes(name)
}
