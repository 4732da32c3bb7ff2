import type {
  Checkpoint,
  HistoryItem,
  Part,
  Queries,
} from '../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../domain/in-pieces.js'
import { UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import { requestIdOf, type KnownFacts, type ReadFact } from './known-facts.js'
import { PageSize } from './page-size.js'

/** The changes of an entity's properties, newest first. */
export class HistoryQueries {
  private readonly changes: Statement

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.changes = prepareRows(
      db,
      `SELECT position FROM places INDEXED BY changes
       WHERE entity = ? AND position < ? AND kind < 2 ORDER BY position DESC LIMIT ?`,
    )
  }

  *page(
    entity: number,
    { after = Number.MAX_SAFE_INTEGER, limit }: Queries['history']['ask'],
    applied: Checkpoint,
  ): InPieces<Part<HistoryItem, number>> {
    const items: HistoryItem[] = []
    const size = new PageSize()
    let last: number | undefined
    const before = Math.min(after, applied.position + 1)
    for (const row of this.changes.all(entity, before, limit + 1)) {
      if (items.length === limit || size.isFull) return { items, next: last }
      const [position = 0] = numbersIn(row)
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
  const requestId = requestIdOf(logged)
  switch (fact.type) {
    case 'EntityCreated':
      return {
        factId,
        changedAt: fact.data.createdAt,
        set: fact.data.properties,
        unset: [],
        requestId,
      }
    case 'EntityPropertiesChanged': {
      const { changedAt, set, unset } = fact.data
      return { factId, changedAt, set, unset, requestId }
    }
    default:
      throw new UnreadableFact(`fact ${factId} is no change of properties`)
  }
}
