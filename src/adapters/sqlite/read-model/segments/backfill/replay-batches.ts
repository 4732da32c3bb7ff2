import { readEntityFact } from '../../../../../application/facts/fact-format.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import type { Entry } from '../../entity-log/block.js'
import { FactKinds } from '../../fact-kinds.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { missing, type FactReader } from '../../../file/fact-reader.js'
import { EntityReplay, type ReplayParts } from './entity-replay.js'
import type { EntityRow } from '../evaluation/entity-states.js'

const factsTogether = 64
/** Facts that are in memory at a time: with bodies of 256 KiB, 16 MiB. */
const factsRead = factsTogether
const factsAtOnce = 128
const entriesAtOnce = 4_096

export const entitiesTogether = factsTogether

interface NextFacts {
  readonly entries: readonly Entry[]
  readonly reached: number
  readonly isWhole: boolean
}

type FactsRead = ReturnType<FactReader['stored']>

interface NextReplay {
  readonly replay: EntityReplay
  readonly next: NextFacts
}

/** Refolds entities one after the other, each of its own facts: a little at each step. */
export class ReplayBatches {
  private readonly kinds: FactKinds
  private large: EntityReplay | undefined

  /** `segments`: all that are evaluated; facts that bear on none of them are not read. */
  constructor(
    private readonly tables: Pick<ReadModelTables, 'facts' | 'logs'>,
    private readonly parts: ReplayParts,
    segments: readonly DefinedSegment[],
  ) {
    this.kinds = new FactKinds(segments)
  }

  forget(entity: number): void {
    if (this.large?.row.entity === entity) this.large = undefined
  }

  get isWithinEntity(): boolean {
    return this.large !== undefined
  }

  /**
   * Goes on with an entity that has more facts than one step takes, or with the next ones. `rows`: of
   * these, at most `entitiesTogether`. Returns those to which all their facts up to `until` were applied;
   * undefined where there is nobody left.
   */
  step(rows: () => Iterable<EntityRow>, until: number): readonly EntityReplay[] | undefined {
    if (this.large !== undefined) return this.continueReplay(this.large, until)
    const group = this.nextGroup(rows(), until)
    if (group.length === 0) return undefined
    // One alone may have more, and they are read as they are applied.
    const together =
      group.length > 1 ? this.read(group.flatMap(({ next }) => next.entries)) : undefined
    for (const { replay, next } of group) {
      this.apply(replay, next, together)
      if (!next.isWhole) this.large = replay
    }
    return this.large === undefined ? group.map(({ replay }) => replay) : []
  }

  private continueReplay(replay: EntityReplay, until: number): readonly EntityReplay[] {
    const next = this.nextFacts(replay.row.entity, replay.reached, until)
    this.apply(replay, next)
    if (!next.isWhole) return []
    this.large = undefined
    return [replay]
  }

  private nextGroup(rows: Iterable<EntityRow>, until: number): readonly NextReplay[] {
    const group: NextReplay[] = []
    let facts = 0
    for (const row of rows) {
      const next = this.nextFacts(row.entity, 0, until)
      facts += next.entries.length
      if (group.length > 0 && (facts > factsTogether || !next.isWhole)) break
      group.push({ replay: new EntityReplay(row, this.parts), next })
    }
    return group
  }

  private nextFacts(entity: number, after: number, until: number): NextFacts {
    const entries: Entry[] = []
    let reached = after
    let looked = 0
    for (const entry of this.tables.logs.after(entity, after)) {
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

  private apply(replay: EntityReplay, { entries, reached }: NextFacts, together?: FactsRead): void {
    for (let at = 0; at < entries.length; at += factsRead) {
      const some = entries.slice(at, at + factsRead)
      const facts = together ?? this.read(some)
      for (const { position, logTime } of some) {
        replay.apply(readEntityFact(facts.get(position) ?? missing(position)), position, logTime)
      }
    }
    replay.reached = reached
  }

  private read(entries: readonly Entry[]): FactsRead {
    return this.tables.facts.stored(entries.map(({ position }) => position))
  }
}
