import type {
  Part,
  TimelineCursor,
  TimelineItem,
  TimelineQuery,
} from '../../../application/reading/ports/read-model.js'
import { occurredAt } from '../../../domain/profile.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numbersIn } from '../file/row.js'
import { eventKind } from './fact-kind.js'
import type { KnownFacts } from './known-facts.js'

/** So many rows are looked at for one part of a list, and so many characters of facts are given. */
const maxRows = 20_000
const maxCharacters = 4_194_304

const rowsAtOnce = 256

/** An event's place in the order that is asked for. */
interface Place extends TimelineCursor {
  readonly kind: number
}

/** Pages of the events of one entity. */
export class TimelineQueries {
  private readonly statements: Readonly<Record<Order, Statement>>

  constructor(
    db: Database,
    private readonly facts: KnownFacts,
  ) {
    this.statements = prepare(db)
  }

  page(entity: number, query: TimelineQuery): Part<TimelineItem, TimelineCursor> {
    const items: TimelineItem[] = []
    let last: Place | undefined
    let looked = 0
    let characters = 0
    for (const place of this.places(entity, query)) {
      if (items.length === query.limit || looked === maxRows || characters > maxCharacters) {
        return { items, next: last && { at: last.at, position: last.position } }
      }
      looked += 1
      last = place
      if (!mayPass(place, query)) continue
      const item = this.itemAt(place.position)
      if (query.name !== undefined && item.name !== query.name) continue
      items.push(item)
      characters += JSON.stringify(item.properties).length
    }
    return { items, next: undefined }
  }

  /** All places from the cursor on, in the order that is asked for, read a few at a time. */
  private *places(entity: number, query: TimelineQuery): Iterable<Place> {
    const { by, order, since, until } = query
    const statement = this.statements[`${by}_${order}`]
    const from = since ?? Number.MIN_SAFE_INTEGER
    const to = until ?? Number.MAX_SAFE_INTEGER
    let { at, position } = query.after ?? before[order]
    for (;;) {
      const rows = statement.all(entity, at, position, from, to, rowsAtOnce)
      for (const row of rows) {
        const [rowAt = 0, rowPosition = 0, kind = 0] = numbersIn(row)
        at = rowAt
        position = rowPosition
        yield { at, position, kind }
      }
      if (rows.length < rowsAtOnce) return
    }
  }

  private itemAt(position: number): TimelineItem {
    const { fact } = this.facts.at(position)
    if (fact.type !== 'EventRecorded') throw new TypeError('expected an event')
    const { name, properties, recordedAt } = fact.data
    return { id: fact.id, name, properties, recordedAt, occurredAt: occurredAt(fact) }
  }
}

type Order = `${TimelineQuery['by']}_${TimelineQuery['order']}`

/** Where each order begins. */
const before: Readonly<Record<TimelineQuery['order'], TimelineCursor>> = {
  asc: { at: Number.MIN_SAFE_INTEGER, position: 0 },
  desc: { at: Number.MAX_SAFE_INTEGER, position: Number.MAX_SAFE_INTEGER },
}

function mayPass({ kind }: Place, { name }: TimelineQuery): boolean {
  return name === undefined || kind === eventKind(name)
}

/**
 * Of each statement the parameters are the entity, the cursor's instant and position, the first instant
 * and the one after the last, and how many rows.
 */
function prepare(db: Database): Readonly<Record<Order, Statement>> {
  const occurred = (comparison: '<' | '>', direction: 'ASC' | 'DESC') =>
    prepareRows(
      db,
      `SELECT occurred_at, position, kind FROM timeline
       WHERE entity = ?1 AND (occurred_at, position) ${comparison} (?2, ?3)
         AND occurred_at >= ?4 AND occurred_at < ?5
       ORDER BY occurred_at ${direction}, position ${direction} LIMIT ?6`,
    )
  const recorded = (comparison: '<' | '>', direction: 'ASC' | 'DESC') =>
    prepareRows(
      db,
      `SELECT log_time - behind, position, kind FROM places
       WHERE entity = ?1 AND ?2 IS NOT NULL AND position ${comparison} ?3
         AND log_time - behind >= ?4 AND log_time - behind < ?5 AND kind >= 2
       ORDER BY position ${direction} LIMIT ?6`,
    )
  return {
    occurred_asc: occurred('>', 'ASC'),
    occurred_desc: occurred('<', 'DESC'),
    recorded_asc: recorded('>', 'ASC'),
    recorded_desc: recorded('<', 'DESC'),
  }
}
