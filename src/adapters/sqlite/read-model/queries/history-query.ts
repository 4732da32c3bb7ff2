import type {
  HistoryItem,
  HistoryQuery,
  Part,
  TimelineCursor,
} from '../../../../application/reading/ports/read-model.js'
import { shownTimeOf } from '../../../../domain/facts.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { JsonText } from '../../../../domain/json.js'
import { readEntityFact } from '../../../../application/facts/fact-format.js'
import { requestIdOf } from '../../../../application/facts/fact-text.js'
import { UnreadableFact, type StoredFact } from '../../../../application/facts/stored-fact.js'
import { missing } from '../../file/fact-reader.js'
import type { Entry } from '../entity-log/block.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { LogPrefix } from '../log-times.js'
import type { Applied } from './answers.js'
import { knownPrefix, listStart, ownTimeRange } from './past-lists.js'
import { PageSize } from './page-size.js'

/** Answers the query `history`: the creation and the property changes of an entity. */
export class HistoryQueries {
  constructor(private readonly tables: ReadModelTables) {}

  /** Returns undefined when the entity does not exist within the bounds of the query. */
  *page(
    entity: number,
    query: HistoryQuery,
    applied: Applied,
  ): InPieces<Part<HistoryItem, TimelineCursor> | undefined> {
    const known = yield* knownPrefix(this.tables, entity, query, applied)
    if (known === undefined) return undefined
    const items: HistoryItem[] = []
    const size = new PageSize()
    let last: TimelineCursor | undefined
    for (const place of this.places(entity, query, known)) {
      if (place === undefined || place.position > known.position) {
        yield
        continue
      }
      const { at, position } = place
      if (items.length === query.limit || size.isFull) return { items, next: last }
      const fact = this.tables.facts.find(position) ?? missing(position)
      items.push(historyItem(fact))
      size.add(fact.data)
      last = { at, position }
      yield
    }
    return { items, next: undefined }
  }

  /**
   * Yields the changes in the requested order, by the time that `by` names. Yields undefined for a change outside
   * the bounds of the query.
   */
  private *places(
    entity: number,
    query: HistoryQuery,
    known: LogPrefix,
  ): Generator<TimelineCursor | undefined> {
    const { by, order, since = -Infinity, until = Infinity, asOf = Infinity } = query
    if (by === 'occurred') {
      yield* this.tables.logs.byOwnTime('changes', entity, order, ownTimeRange(query))
      return
    }
    for (const { at, position, logTime, lagMs } of this.inOrder(entity, query, known)) {
      const recordedAt = logTime - lagMs
      const isListed = at <= asOf && recordedAt >= since && recordedAt < until
      yield isListed ? { at: recordedAt, position } : undefined
    }
  }

  private inOrder(
    entity: number,
    { order, after = listStart[order] }: HistoryQuery,
    known: LogPrefix,
  ): Generator<Entry, undefined> {
    const { logs } = this.tables
    if (order === 'asc') return logs.changesAfter(entity, after.position)
    return logs.changesBefore(entity, Math.min(after.position, known.position + 1))
  }
}

function historyItem(stored: StoredFact): HistoryItem {
  const { id: factId } = stored
  const fact = readEntityFact(stored)
  const { effect, recordedAt: changedAt } = fact
  if (effect.kind !== 'created' && effect.kind !== 'properties') {
    throw new UnreadableFact(`fact ${factId} is not a property change`)
  }
  return {
    factId,
    changedAt,
    occurredAt: shownTimeOf(fact),
    set: JsonText.of(effect.set),
    unset: effect.unset,
    requestId: requestIdOf(stored),
  }
}
