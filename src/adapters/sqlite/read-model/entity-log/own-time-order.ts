import type {
  TimelineCursor,
  TimelineQuery,
} from '../../../../application/reading/ports/read-model.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numbersIn } from '../../file/row.js'
import { changeKind, firstEventKind } from '../fact-kinds.js'
import type { Entry } from './block.js'
import type { BlockEnd, LogBlocks, LogHead } from './log-blocks.js'

export type OwnTimeEvent = Pick<Entry, 'at' | 'position' | 'kind'>

/** The facts that are listed together: the events, or the creation and the property changes. */
export type ListedFacts = 'events' | 'changes'

interface Listing {
  readonly table: string
  readonly has: (kind: number) => boolean
  /** Returns how many of the facts are not late. */
  readonly inOrder: (counts: Pick<BlockEnd, 'inOrder' | 'changesInOrder'>) => number
  readonly latestAt: (end: BlockEnd) => number
  readonly count: (head: LogHead) => number
}

const listings: Readonly<Record<ListedFacts, Listing>> = {
  events: {
    table: 'stragglers',
    has: (kind) => kind >= firstEventKind,
    inOrder: ({ inOrder }) => inOrder,
    latestAt: ({ latestAt }) => latestAt,
    count: ({ eventCount }) => eventCount,
  },
  changes: {
    table: 'late_changes',
    has: (kind) => kind <= changeKind,
    inOrder: ({ changesInOrder }) => changesInOrder,
    latestAt: ({ latestChangeAt }) => latestChangeAt,
    count: ({ changes }) => changes,
  },
}

/** The range of events to list. The list begins after the cursor `after`. */
export interface OwnTimeRange {
  readonly after: TimelineCursor
  /**
   * The instant at which the list ends. In ascending order, the list excludes this instant. In descending
   * order, it includes this instant.
   */
  readonly end: number
}

type Order = TimelineQuery['order']

/** The numbers of rows that are read together. Many readers need only the first row. */
const [firstRows, mostRows] = [4, 64]

/**
 * Lists events, or property changes, in the order of own times. Facts that are not late have this order in the
 * blocks. The tables `stragglers` and `late_changes` contain the late facts in this order. A list merges both
 * sources, and reads only as many facts as its reader requests.
 */
export class OwnTimeOrder {
  private readonly statements: Readonly<Record<Order, Statement>>
  private readonly listing: Listing

  constructor(
    db: Database,
    private readonly blocks: LogBlocks,
    which: ListedFacts,
  ) {
    this.listing = listings[which]
    this.statements = prepare(db, this.listing.table)
  }

  *events(
    entity: number,
    head: LogHead,
    order: Order,
    { after, end }: OwnTimeRange,
  ): Generator<OwnTimeEvent, undefined> {
    const hasStragglers = this.listing.inOrder(head) < this.listing.count(head)
    const stragglers = hasStragglers ? this.stragglers(entity, order, after) : none()
    const inOrder =
      order === 'asc' ? this.rising(entity, head, after) : this.falling(entity, head, after)
    for (const event of merged(inOrder, stragglers, order)) {
      if (order === 'asc' ? event.at >= end : event.at < end) return undefined
      yield event
    }
    return undefined
  }

  /**
   * Yields the events that are not late and come after the cursor `after`, in ascending order. Skips blocks
   * that contain only late events.
   */
  private *rising(entity: number, head: LogHead, after: TimelineCursor): Generator<OwnTimeEvent> {
    const { blocks } = this
    let number = blocks.first(entity, head, (end) => compare(this.endOf(end), after) > 0)
    for (;;) {
      for (const event of this.inOrder(entity, head, number)) {
        if (compare(event, after) > 0) yield event
      }
      if (number === head.blocks) return
      const inOrder = this.listing.inOrder(blocks.end(entity, head, number))
      if (inOrder === this.listing.inOrder(head)) return
      number = blocks.first(entity, head, (end) => this.listing.inOrder(end) > inOrder, number + 1)
    }
  }

  private *falling(entity: number, head: LogHead, after: TimelineCursor): Generator<OwnTimeEvent> {
    const { blocks } = this
    let number = blocks.first(entity, head, (end) => compare(this.endOf(end), after) >= 0)
    for (;;) {
      for (const event of this.inOrder(entity, head, number).toReversed()) {
        if (compare(event, after) < 0) yield event
      }
      const left = number === 0 ? 0 : this.listing.inOrder(blocks.end(entity, head, number - 1))
      if (left === 0) return
      number = blocks.first(entity, head, (end) => this.listing.inOrder(end) >= left, 0, number - 1)
    }
  }

  private inOrder(entity: number, head: LogHead, number: number): readonly Entry[] {
    return this.blocks
      .entries(entity, head, number)
      .filter(({ kind, isStraggler }) => this.listing.has(kind) && !isStraggler)
  }

  /**
   * Returns a cursor with the latest own time and the last position of the block. All listed facts of the block are
   * at or before this cursor.
   */
  private endOf(end: BlockEnd): TimelineCursor {
    return { at: this.listing.latestAt(end), position: end.lastPosition }
  }

  private *stragglers(
    entity: number,
    order: Order,
    after: TimelineCursor,
  ): Generator<OwnTimeEvent> {
    let last = after
    for (let rowsAtOnce = firstRows; ; rowsAtOnce = Math.min(4 * rowsAtOnce, mostRows)) {
      const rows = this.statements[order].all(entity, last.at, last.position, rowsAtOnce)
      for (const row of rows) {
        const [at = 0, position = 0, kind = 0] = numbersIn(row)
        last = { at, position }
        yield { at, position, kind }
      }
      if (rows.length < rowsAtOnce) return
    }
  }
}

/** Compares own times, and then positions. */
export function compare(left: TimelineCursor, right: TimelineCursor): number {
  return left.at === right.at ? left.position - right.position : left.at - right.at
}

/** Merges lists that are sorted by own time and position in the direction `order`. */
export function mergedByOwnTime<Event extends TimelineCursor>(
  lists: readonly Iterator<Event>[],
  order: Order,
): Iterable<Event> {
  return lists.reduce<Generator<Event>>(
    (all, list) => merged(all, list, order),
    merged<Event>(none(), none(), order),
  )
}

function* merged<Event extends TimelineCursor>(
  left: Iterator<Event>,
  right: Iterator<Event>,
  order: Order,
): Generator<Event> {
  const isBefore = (one: TimelineCursor, other: TimelineCursor) =>
    order === 'asc' ? compare(one, other) < 0 : compare(one, other) > 0
  let fromLeft = left.next()
  let fromRight = right.next()
  for (;;) {
    const isLeft =
      fromRight.done === true ||
      (fromLeft.done !== true && isBefore(fromLeft.value, fromRight.value))
    if (isLeft) {
      if (fromLeft.done === true) return
      yield fromLeft.value
      fromLeft = left.next()
    } else {
      yield fromRight.value
      fromRight = right.next()
    }
  }
}

function none(): Iterator<never> {
  return [][Symbol.iterator]()
}

function prepare(db: Database, table: string): Readonly<Record<Order, Statement>> {
  const stragglers = (comparison: '<' | '>', direction: 'ASC' | 'DESC') =>
    prepareRows(
      db,
      `SELECT occurred_at, position, kind FROM ${table}
       WHERE entity = ?1 AND (occurred_at, position) ${comparison} (?2, ?3)
       ORDER BY occurred_at ${direction}, position ${direction} LIMIT ?4`,
    )
  return { asc: stragglers('>', 'ASC'), desc: stragglers('<', 'DESC') }
}
