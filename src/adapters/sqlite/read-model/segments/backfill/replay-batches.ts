import { readEntityFact } from '../../../../../application/facts/fact-format.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import type { Entry } from '../../entity-log/block.js'
import { noVoids, type Voids } from '../../entity-log/voided-events.js'
import { FactKinds } from '../../fact-kinds.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { missing, type FactReader } from '../../../file/fact-reader.js'
import { EntityReplay, type ReplayParts } from './entity-replay.js'
import type { EntityRow } from '../evaluation/entity-states.js'

const factsTogether = 64
/** The most facts in memory: at most 16 MiB when each fact has 256 KiB. */
const factsRead = factsTogether
const factsAtOnce = 128
const entriesAtOnce = 4_096

export const entitiesTogether = factsTogether

interface NextFacts {
  readonly entries: readonly Entry[]
  readonly reached: number
  readonly isComplete: boolean
}

type FactsRead = ReturnType<FactReader['stored']>

interface NextReplay {
  readonly replay: EntityReplay
  readonly next: NextFacts
}

/**
 * Replays entities one after another in short pieces of work. One piece replays many entities with few facts,
 * or some of the facts of an entity with many facts.
 */
export class ReplayBatches {
  private readonly kinds: FactKinds
  private large: EntityReplay | undefined

  /**
   * `segments` are the evaluated segments. The replay does not read facts that affect none of these segments.
   */
  constructor(
    private readonly tables: Pick<ReadModelTables, 'facts' | 'logs' | 'events'>,
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
   * Continues the replay of a large entity, or starts to replay the next entities. `rows` reads the next
   * entities, at most `entitiesTogether`. Returns the replays that have reached position `until`, or undefined
   * when no entity is left.
   */
  step(rows: () => Iterable<EntityRow>, until: number): readonly EntityReplay[] | undefined {
    if (this.large !== undefined) return this.continueReplay(this.large, until)
    const group = this.nextGroup(rows(), until)
    if (group.length === 0) return undefined
    // Reads the facts of several small entities together. If the group is a single entity, it may have more facts
    // than one read returns, so `apply` reads its facts in several reads.
    const together =
      group.length > 1 ? this.read(group.flatMap(({ next }) => next.entries)) : undefined
    for (const { replay, next } of group) {
      this.apply(replay, next, together)
      if (!next.isComplete) this.large = replay
    }
    return this.large === undefined ? group.map(({ replay }) => replay) : []
  }

  private continueReplay(replay: EntityReplay, until: number): readonly EntityReplay[] {
    const next = this.nextFacts(replay.row.logs, replay.reached, until)
    this.apply(replay, next)
    if (!next.isComplete) return []
    this.large = undefined
    return [replay]
  }

  private nextGroup(rows: Iterable<EntityRow>, until: number): readonly NextReplay[] {
    const group: NextReplay[] = []
    let facts = 0
    for (const row of rows) {
      const next = this.nextFacts(row.logs, 0, until)
      facts += next.entries.length
      if (group.length > 0 && (facts > factsTogether || !next.isComplete)) break
      group.push({ replay: this.replayOf(row, until), next })
    }
    return group
  }

  private replayOf(row: EntityRow, until: number): EntityReplay {
    const { events } = this.tables
    const voids = this.parts.tallied === undefined ? noVoids : this.voidsOf(row.logs, until)
    return new EntityReplay(row, this.parts, events.earlierAt(row.logs), voids)
  }

  private voidsOf(logs: readonly number[], until: number): Voids {
    return this.tables.logs.voids.of(logs, until)
  }

  private nextFacts(logs: readonly number[], after: number, until: number): NextFacts {
    const entries: Entry[] = []
    let reached = after
    let read = 0
    const { onEntry } = this.parts
    const voids = onEntry === undefined ? noVoids : this.voidsOf(logs, until)
    for (const entry of this.tables.logs.afterAll(logs, after)) {
      if (entry.position > until) break
      if (read === entriesAtOnce || entries.length === factsAtOnce) {
        return { entries, reached, isComplete: false }
      }
      read += 1
      reached = entry.position
      if (!voids.has(entry.position)) onEntry?.(entry)
      if (this.kinds.has(entry.kind)) entries.push(entry)
    }
    return { entries, reached, isComplete: true }
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
