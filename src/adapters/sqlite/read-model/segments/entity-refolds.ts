import { readEntityFact } from '../../../../application/facts/fact-format.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Entry } from '../entity-log/block.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import { FactKinds } from '../fact-kinds.js'
import { missing, type FactsByPosition } from '../facts-by-position.js'
import { EntityRefold, type RefoldParts } from './entity-refold.js'
import type { EntityRow } from './entity-states.js'

/** Facts of the entities that are refolded together, which are read together. */
const factsTogether = 64
/** Facts that are in memory at a time: with bodies of 256 KiB, 16 MiB. */
const factsRead = factsTogether
/** Facts of one entity that are applied before other work runs. */
const factsAtOnce = 128
/** Entries of an entity's log that are looked at for them. */
const entriesAtOnce = 4_096

/** Entities of which some are refolded together, at most. */
export const entitiesTogether = factsTogether

export interface FactSource {
  readonly facts: FactsByPosition
  readonly logs: EntityLogs
}

/** The next facts of an entity that bear on what is evaluated. */
interface NextFacts {
  readonly entries: readonly Entry[]
  /** The last entry that was looked at. */
  readonly reached: number
  /** There are no more. */
  readonly isWhole: boolean
}

type FactsRead = ReturnType<FactsByPosition['stored']>

interface Refolding {
  readonly refold: EntityRefold
  readonly next: NextFacts
}

/** Refolds entities one after the other, each of its own facts: a little at each step. */
export class EntityRefolds {
  private readonly kinds: FactKinds
  /** An entity with more facts than one step takes. */
  private large: EntityRefold | undefined

  /** `segments`: all that are evaluated; facts that bear on none of them are not read. */
  constructor(
    private readonly source: FactSource,
    private readonly parts: RefoldParts,
    segments: readonly DefinedSegment[],
  ) {
    this.kinds = new FactKinds(segments)
  }

  /** It is erased: its refold is given up. */
  forget(entity: number): void {
    if (this.large?.row.entity === entity) this.large = undefined
  }

  /** An entity was refolded in part. */
  get isWithinEntity(): boolean {
    return this.large !== undefined
  }

  /**
   * Goes on with an entity that has more facts than one step takes, or with the next ones. `rows`: of
   * these, at most `entitiesTogether`. Returns those to which all their facts up to `until` were applied;
   * undefined where there is nobody left.
   */
  step(rows: () => Iterable<EntityRow>, until: number): readonly EntityRefold[] | undefined {
    if (this.large !== undefined) return this.goOn(this.large, until)
    const group = this.nextGroup(rows(), until)
    if (group.length === 0) return undefined
    // One alone may have more, and they are read as they are applied.
    const together =
      group.length > 1 ? this.read(group.flatMap(({ next }) => next.entries)) : undefined
    for (const { refold, next } of group) {
      this.apply(refold, next, together)
      if (!next.isWhole) this.large = refold
    }
    return this.large === undefined ? group.map(({ refold }) => refold) : []
  }

  private goOn(refold: EntityRefold, until: number): readonly EntityRefold[] {
    const next = this.nextFacts(refold.row.entity, refold.reached, until)
    this.apply(refold, next)
    if (!next.isWhole) return []
    this.large = undefined
    return [refold]
  }

  /** One entity, or more that have few facts. */
  private nextGroup(rows: Iterable<EntityRow>, until: number): readonly Refolding[] {
    const group: Refolding[] = []
    let facts = 0
    for (const row of rows) {
      const next = this.nextFacts(row.entity, 0, until)
      facts += next.entries.length
      if (group.length > 0 && (facts > factsTogether || !next.isWhole)) break
      group.push({ refold: new EntityRefold(row, this.parts), next })
    }
    return group
  }

  private nextFacts(entity: number, after: number, until: number): NextFacts {
    const entries: Entry[] = []
    let reached = after
    let looked = 0
    for (const entry of this.source.logs.after(entity, after)) {
      if (entry.position > until) break
      if (looked === entriesAtOnce || entries.length === factsAtOnce) {
        return { entries, reached, isWhole: false }
      }
      looked += 1
      reached = entry.position
      this.parts.onEntry?.(entry)
      if (this.kinds.has(entry.kind)) entries.push(entry)
    }
    return { entries, reached, isWhole: true }
  }

  private apply(refold: EntityRefold, { entries, reached }: NextFacts, together?: FactsRead): void {
    for (let at = 0; at < entries.length; at += factsRead) {
      const some = entries.slice(at, at + factsRead)
      const facts = together ?? this.read(some)
      for (const { position, logTime } of some) {
        refold.apply(readEntityFact(facts.get(position) ?? missing(position)), position, logTime)
      }
    }
    refold.reached = reached
  }

  private read(entries: readonly Entry[]): FactsRead {
    const positions = entries.map(({ position }) => position)
    return this.source.facts.stored(positions.sort((left, right) => left - right))
  }
}
