import { readEntityFact } from '../../../../../application/facts/fact-format.js'
import { ownTimeOf } from '../../../../../domain/facts.js'
import { atOnce, type InPieces } from '../../../../../domain/in-pieces.js'
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
  /** The replay of facts of `large`, if it was interrupted in a search for the next change of a property. */
  private interrupted: InPieces<void> | undefined

  /**
   * `segments` are the evaluated segments. The replay does not read facts that affect none of these segments.
   */
  constructor(
    private readonly tables: Pick<ReadModelTables, 'facts' | 'logs' | 'changes' | 'events'>,
    private readonly parts: ReplayParts,
    segments: readonly DefinedSegment[],
  ) {
    this.kinds = new FactKinds(segments)
  }

  forget(entity: number): void {
    if (this.large?.row.entity !== entity) return
    this.large = undefined
    this.interrupted = undefined
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
    const [first] = group
    if (first === undefined) return undefined
    // If the group is a single entity, it may have more facts than one read returns. `apply` then reads its facts in
    // several reads.
    if (group.length === 1) return this.applyNext(first)
    // Reads the facts of several small entities together.
    const together = this.read(group.flatMap(({ next }) => next.entries))
    for (const { replay, next } of group) {
      atOnce(this.apply(replay, next, together))
      if (!next.isComplete) this.large = replay
    }
    return this.large === undefined ? group.map(({ replay }) => replay) : []
  }

  private continueReplay(replay: EntityReplay, until: number): readonly EntityReplay[] {
    const { logs } = replay.row
    const { interrupted } = this
    if (interrupted !== undefined && !this.isBeingRemoved(logs) && !this.runPiece(interrupted)) {
      return []
    }
    this.interrupted = undefined
    return this.applyNext({ replay, next: this.nextFacts(logs, replay.reached, until) })
  }

  private applyNext({ replay, next }: NextReplay): readonly EntityReplay[] {
    this.large = replay
    if (!this.runPiece(this.apply(replay, next)) || !next.isComplete) return []
    this.large = undefined
    return [replay]
  }

  /** Returns whether the facts of an erased entity are being removed. A search in these facts cannot continue. */
  private isBeingRemoved(logs: readonly number[]): boolean {
    return logs.some((log) => this.tables.logs.countUntil(log, Infinity) === 0)
  }

  /** Returns true when all pieces have run. */
  private runPiece(pieces: InPieces<void>): boolean {
    const isDone = pieces.next().done === true
    this.interrupted = isDone ? undefined : pieces
    return isDone
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

  /** Applies facts. Ends a piece after each batch of changes that a search reads. */
  private *apply(
    replay: EntityReplay,
    { entries, reached }: NextFacts,
    together?: FactsRead,
  ): InPieces<void> {
    for (let at = 0; at < entries.length; at += factsRead) {
      const some = entries.slice(at, at + factsRead)
      const facts = together ?? this.read(some)
      for (const { position, logTime } of some) {
        const fact = readEntityFact(facts.get(position) ?? missing(position))
        // `apply` then finds the results without a long search.
        for (const name of replay.searchesOf(fact, logTime)) {
          const at = ownTimeOf(fact, logTime)
          yield* this.tables.changes.searchNext(replay.row.logs, name, at, position)
        }
        replay.apply(fact, position, logTime)
      }
    }
    replay.reached = reached
  }

  private read(entries: readonly Entry[]): FactsRead {
    return this.tables.facts.stored(entries.map(({ position }) => position))
  }
}
