import type {
  Checkpoint,
  HistoryItem,
  Part,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { JsonText } from '../../../../domain/json.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import { UnreadableFact } from '../../../../application/facts/stored-fact.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import { requestIdOf } from '../../../../application/facts/fact-text.js'
import type { FactsByPosition, ReadFact } from '../facts-by-position.js'
import { PageSize } from './page-size.js'

/** The changes of an entity's properties, newest first. */
export class HistoryQueries {
  constructor(
    private readonly logs: EntityLogs,
    private readonly facts: FactsByPosition,
  ) {}

  *page(
    entity: number,
    { after = Number.MAX_SAFE_INTEGER, limit }: QueryOf<'history'>,
    applied: Checkpoint,
  ): InPieces<Part<HistoryItem, number>> {
    const items: HistoryItem[] = []
    const size = new PageSize()
    let last: number | undefined
    const before = Math.min(after, applied.position + 1)
    for (const { position } of this.logs.changesBefore(entity, before)) {
      if (items.length === limit || size.isFull) return { items, next: last }
      const read = this.facts.at(position)
      items.push(historyItem(read))
      size.add(read.logged.data)
      last = position
      yield
    }
    return { items, next: undefined }
  }
}

function historyItem({ logged, fact }: ReadFact): HistoryItem {
  const { id: factId } = logged
  const { entity } = meaningOf(fact)
  if (entity?.effect.kind !== 'created' && entity?.effect.kind !== 'properties') {
    throw new UnreadableFact(`fact ${factId} is no change of properties`)
  }
  const { set, unset } = entity.effect
  const requestId = requestIdOf(logged)
  return { factId, changedAt: entity.recordedAt, set: JsonText.of(set), unset, requestId }
}
