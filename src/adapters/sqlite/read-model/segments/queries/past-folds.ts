import { readEntityFact } from '../../../../../application/facts/fact-format.js'
import { Refusal } from '../../../../../application/ports/refusal.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import type { Subject } from '../../../../../domain/segments/membership/entity-state.js'
import { prepareRows, type Statement } from '../../../file/driver.js'
import { valuesIn } from '../../../file/row.js'
import type { Entry } from '../../entity-log/block.js'
import { missing } from '../../../file/fact-reader.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { subjectOf } from '../evaluation/entity-states.js'
import { PageSize } from '../../queries/page-size.js'
import {
  foldMembership,
  type Folded,
  type FoldOptions,
  type OwnFacts,
  type FoldSource,
} from './fold-membership.js'
import type { LogPrefix } from '../../log-times.js'

const maxFoldedFacts = 100_000

/** Reads the facts of an entity and replays them for a query. */
export class PastFolds {
  private readonly find: Statement

  constructor(private readonly tables: ReadModelTables) {
    this.find = prepareRows(
      tables.db,
      `SELECT external_id, coalesce(counted_created_at, created_at) FROM entities WHERE entity = ?`,
    )
  }

  /**
   * Throws `too_many_facts` if the entities have too many facts to replay in one query. Call it before the
   * first replay.
   */
  refuseTooMany(entities: readonly number[], prefix: LogPrefix): void {
    let left = maxFoldedFacts
    for (const entity of entities) {
      left -= this.tables.logs.countUntil(entity, prefix.position)
      if (left >= 0) continue
      throw new Refusal(
        'too_many_facts',
        `more than ${String(maxFoldedFacts)} facts would be folded`,
      )
    }
  }

  /** Replays an entity. Returns undefined when the entity did not exist. */
  *fold(entity: number, source: FoldSource, options?: FoldOptions): InPieces<Folded | undefined> {
    const subject = this.subject(entity)
    if (subject === undefined) return undefined
    return yield* foldMembership(subject, this.ownFacts([entity], source.prefix), source, options)
  }

  /** `own` lists the logs with the facts of the entity. */
  private ownFacts(own: readonly number[], prefix: LogPrefix): OwnFacts {
    const { facts, logs, events } = this.tables
    const voids = logs.voids.of(own, prefix.position)
    const size = new PageSize()
    let reached: number | undefined
    let left = logs.afterAll(own, 0)
    return {
      after: (position) => {
        // Keeps the iterator over the entity's log, because callers usually continue after the last fact that they
        // have read.
        if (position !== reached) left = logs.afterAll(own, position)
        const entries = first(left, size.rowsAtOnce).filter(
          (one) => one.position <= prefix.position,
        )
        reached = entries.at(-1)?.position
        const stored = facts.stored(entries.map((entry) => entry.position))
        return entries.map(({ position: at, logTime }) => {
          const fact = stored.get(at) ?? missing(at)
          size.add(fact.data)
          return { fact: readEntityFact(fact), position: at, logTime, characters: fact.data.length }
        })
      },
      at: (position) => readEntityFact(facts.stored([position]).get(position) ?? missing(position)),
      isVoided: (position) => voids.has(position),
      earlierAt: events.earlierAt(own),
    }
  }

  private subject(entity: number): Subject | undefined {
    const row = this.find.get(entity)
    if (row === undefined) return undefined
    const [externalId, createdAt] = valuesIn(row)
    return subjectOf(String(externalId), Number(createdAt))
  }
}

function first(entries: Iterator<Entry, undefined>, most: number): readonly Entry[] {
  const found: Entry[] = []
  while (found.length < most) {
    const { value } = entries.next()
    if (value === undefined) break
    found.push(value)
  }
  return found
}
