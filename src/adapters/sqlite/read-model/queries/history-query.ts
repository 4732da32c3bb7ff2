import type {
  Checkpoint,
  HistoryItem,
  Part,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { JsonText } from '../../../../domain/json.js'
import { readEntityFact } from '../../../../application/facts/fact-format.js'
import { requestIdOf } from '../../../../application/facts/fact-text.js'
import { UnreadableFact, type StoredFact } from '../../../../application/facts/stored-fact.js'
import { missing } from '../../file/fact-reader.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { PageSize } from './page-size.js'

/** Answers the query `history`: the changes of an entity's properties, newest first. */
export class HistoryQueries {
  constructor(private readonly tables: ReadModelTables) {}

  *page(
    entity: number,
    { after = Number.MAX_SAFE_INTEGER, limit }: QueryOf<'history'>,
    applied: Checkpoint,
  ): InPieces<Part<HistoryItem, number>> {
    const items: HistoryItem[] = []
    const size = new PageSize()
    let last: number | undefined
    const before = Math.min(after, applied.position + 1)
    for (const { position } of this.tables.logs.changesBefore(entity, before)) {
      if (items.length === limit || size.isFull) return { items, next: last }
      const fact = this.tables.facts.find(position) ?? missing(position)
      items.push(historyItem(fact))
      size.add(fact.data)
      last = position
      yield
    }
    return { items, next: undefined }
  }
}

function historyItem(stored: StoredFact): HistoryItem {
  const { id: factId } = stored
  const { effect, recordedAt: changedAt } = readEntityFact(stored)
  if (effect.kind !== 'created' && effect.kind !== 'properties') {
    throw new UnreadableFact(`fact ${factId} is not a property change`)
  }
  const { set, unset } = effect
  return { factId, changedAt, set: JsonText.of(set), unset, requestId: requestIdOf(stored) }
}
