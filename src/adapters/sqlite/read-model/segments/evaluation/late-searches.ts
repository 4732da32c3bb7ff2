import { ownTimeOf, type EntityFact, type PropertyChange } from '../../../../../domain/facts.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import type { ChangeAt } from '../../../../../domain/property-times.js'
import type { EarlierFacts } from '../../../../../domain/segments/membership/conditions.js'
import {
  copyForChanges,
  isLateFor,
  type EntityState,
} from '../../../../../domain/segments/membership/entity-state.js'
import type { SegmentSet } from '../../../../../domain/segments/membership/membership.js'
import { changesName } from '../../entity-log/entity-changes.js'
import type { PlacedFact } from '../../projection.js'
import type { Slice } from '../../slice.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import type { EntityRow, EntityStates } from './entity-states.js'

/** The part of `LiveSegments` that decides which segments evaluate a fact. */
export interface LiveEvaluation {
  readonly states: Pick<EntityStates, 'get'> | undefined
  concerned(entity: number, fact: EntityFact, now: number): { readonly set: SegmentSet } | undefined
  concernSustained(change: PropertyChange): boolean
}

/** The property changes of an entity with a late change, among the facts that are prepared together. */
interface EntityTrial {
  readonly row: EntityRow
  /** The changes before the current fact, in position order. */
  readonly changes: ChangeAt[]
  /** A copy of the entity's state after these changes. */
  readonly state: EntityState
}

interface Preparing {
  /** The position of the first fact that is prepared. No fact from this position on is in the entity logs yet. */
  readonly first: number
  readonly slice: Slice
}

/**
 * Runs the searches for the next change of a property that late changes under `for` conditions need, in slices,
 * before the changes are applied.
 *
 * A copy of the entity's state takes the changes first. The code that applies facts therefore decides which
 * searches are needed, including a search that only an earlier fact of the same commit makes necessary.
 */
export class LateSearches {
  private first: number | undefined
  /**
   * The results of searches, by the position of the late change and by property. They are kept until the first
   * prepared fact is applied. The duration of a slice bounds their number.
   */
  private readonly found = new Map<number, Map<string, number | undefined>>()
  /** The search that the end of a slice interrupted. It depends only on the facts before `first`. */
  private paused:
    | { readonly key: string; readonly pieces: InPieces<number | undefined> }
    | undefined

  constructor(
    private readonly tables: Pick<ReadModelTables, 'ids' | 'changes' | 'events'>,
    private readonly live: LiveEvaluation,
  ) {}

  /**
   * Returns the facts before the first fact that needs a search which the slice did not complete. After these facts
   * are applied, call this method again with the facts that are left. If the caller skips this method, a late change
   * searches in one piece.
   */
  prepare(facts: readonly PlacedFact[], slice: Slice): readonly PlacedFact[] {
    const first = facts[0]?.logged.position
    if (first !== this.first) this.found.clear()
    this.first = first
    const trials = this.trialsOf(facts)
    if (first === undefined || trials.size === 0) return facts
    const interrupted = facts.findIndex((placed) => {
      const trial = trials.get(placed.entity?.externalId ?? '')
      return trial !== undefined && !this.take(trial, placed, { first, slice })
    })
    return interrupted < 0 ? facts : facts.slice(0, interrupted)
  }

  /** Returns the reader of earlier facts for the fact at a position. It knows the results of `prepare`. */
  earlierAt(entity: number, position: number): EarlierFacts {
    const earlier = this.tables.events.earlierAt([entity])(position)
    const found = this.found.get(position)
    if (found === undefined) return earlier
    const nextChange: EarlierFacts['nextChange'] = (name, after) =>
      found.has(name) ? found.get(name) : earlier.nextChange(name, after)
    return { ...earlier, nextChange }
  }

  /** Returns the entities with a late change, by external id. An entity without a row has no earlier facts. */
  private trialsOf(facts: readonly PlacedFact[]): ReadonlyMap<string, EntityTrial> {
    const trials = new Map<string, EntityTrial>()
    if (!facts.some(this.maySearch)) return trials
    /** For each entity, the latest own time of a change before the current fact. */
    const latest = new Map<string, number>()
    for (const placed of facts) {
      const { entity: fact, logTime } = placed
      if (fact?.effect.kind !== 'properties' || trials.has(fact.externalId)) continue
      const { externalId } = fact
      const at = ownTimeOf(fact, logTime)
      const latestAt = latest.get(externalId) ?? -Infinity
      latest.set(externalId, Math.max(latestAt, at))
      const row = this.rowOf(placed)
      if (row === undefined) continue
      const isLate = at < latestAt || isLateFor(row.state, { at, change: fact.effect })
      if (isLate) trials.set(externalId, { row, changes: [], state: copyForChanges(row.state) })
    }
    return trials
  }

  /**
   * Returns whether a fact can need a search. Only a property change with a time from the caller can be late. The
   * states of entities are read only for these facts.
   */
  private readonly maySearch = ({ entity: fact }: PlacedFact): boolean =>
    fact?.occurredAt !== undefined &&
    fact.effect.kind === 'properties' &&
    this.live.concernSustained(fact.effect)

  /** Returns the entity of a change that may need a search. Undefined when the entity has no earlier facts. */
  private rowOf(placed: PlacedFact): EntityRow | undefined {
    const { entity: fact, logged } = placed
    if (fact === undefined || !this.maySearch(placed)) return undefined
    const entity = this.tables.ids.of(fact.externalId, logged)
    return entity === undefined ? undefined : this.live.states?.get(entity)
  }

  /** Returns false when the slice ended before a search that the fact needs. */
  private take(
    trial: EntityTrial,
    { entity: fact, logged: { position }, logTime }: PlacedFact,
    preparing: Preparing,
  ): boolean {
    if (fact?.effect.kind !== 'properties') return true
    const { row, changes, state } = trial
    const set = this.live.concerned(row.entity, fact, logTime)?.set
    if (set === undefined) return true
    const [at, change] = [ownTimeOf(fact, logTime), fact.effect]
    let isInterrupted = false
    const nextChange = (name: string, after: number) => {
      const search = isInterrupted
        ? undefined
        : this.nextChange(trial, { name, after, position }, preparing)
      isInterrupted ||= search === undefined
      return search?.next
    }
    set.conditions.properties(state, change, at, nextChange, ignoreTouch)
    changes.push({ at, change })
    return !isInterrupted
  }

  /** Finds the next change before the fact at `position`. Returns undefined when the slice ended first. */
  private nextChange(
    { row: { entity }, changes }: EntityTrial,
    { name, after, position }: { name: string; after: number; position: number },
    { first, slice }: Preparing,
  ): { readonly next: number | undefined } | undefined {
    const found = this.found.get(position) ?? new Map<string, number | undefined>()
    if (found.has(name)) return { next: found.get(name) }
    const key = [entity, after, first, name].join('/')
    const pieces =
      this.paused?.key === key
        ? this.paused.pieces
        : this.tables.changes.searchNext([entity], name, after, first)
    this.paused = { key, pieces }
    let step = pieces.next()
    for (; step.done !== true; step = pieces.next()) if (slice.endsHere()) return undefined
    this.paused = undefined
    const unwritten = changes.filter(({ at, change }) => at > after && changesName(change, name))
    const earliest = Math.min(step.value ?? Infinity, ...unwritten.map(({ at }) => at))
    const next = earliest === Infinity ? undefined : earliest
    this.found.set(position, found.set(name, next))
    return { next }
  }
}

const ignoreTouch = () => undefined
