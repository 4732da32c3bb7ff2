import { isDeepStrictEqual as isSame } from 'node:util'
import type {
  HistoryItem,
  Part,
  TimelineItem,
  TimelineQuery,
} from '../../../../application/reading/ports/read-model.js'
import { timestampIn } from '../../file/row.js'
import { requestIdOf } from '../../../../application/facts/fact-text.js'
import { JsonText } from '../../../../domain/json.js'
import type { FactReader } from '../../file/fact-reader.js'
import { differencesIn, type RunQuery } from './compare-profile.js'
import {
  type EventPlace,
  type FoldedEntity,
  factsAtOnce,
  ownFacts,
  type OwnFact,
} from './folded-entity.js'

/** Compares the lists of an entity's facts with the facts, in pages. */
export class ComparedLists {
  constructor(
    private readonly query: RunQuery,
    private readonly facts: FactReader,
  ) {}

  history({ profile: { externalId }, changes }: FoldedEntity): Promise<readonly string[]> {
    return this.compare(
      'history',
      changes.toReversed(),
      historyItem,
      ({ factId }) => factId,
      (after?: number) => this.query('history', { externalId, after, limit: factsAtOnce }),
    )
  }

  /** The first list of events by each time that differs, and its first item that does. */
  async events(folded: FoldedEntity): Promise<readonly string[]> {
    const differences: string[] = []
    for (const by of ['occurred', 'recorded'] as const) {
      for (const { query, events } of listsOf(folded, by)) {
        const found = await this.compareEvents(query, events)
        differences.push(...found)
        if (found.length > 0) break
      }
    }
    return differences
  }

  private compareEvents(
    query: EventsQuery,
    events: readonly EventPlace[],
  ): Promise<readonly string[]> {
    return this.compare(
      urlOf(query),
      events.map(({ position }) => position),
      timelineItem,
      ({ id }) => id,
      (after?: TimelineQuery['after']) =>
        this.query('timeline', { ...query, after, limit: factsAtOnce }),
    )
  }

  private compare<Item extends object, Cursor>(
    what: string,
    positions: readonly number[],
    itemOf: (own: OwnFact) => Item,
    idOf: (item: Item) => string,
    page: (after?: Cursor) => Promise<Part<Item, Cursor> | undefined>,
  ): Promise<readonly string[]> {
    return differencesIn(what, async () => {
      const expected = ownFacts(this.facts, positions)
      let place = 0
      const differs = (difference: string) => [
        `${what}: its item ${String(place)} is ${difference}`,
      ]
      for await (const item of itemsOf(page)) {
        place += 1
        const { value: own } = expected.next()
        const id = idOf(item)
        if (own?.stored.id !== id) {
          return differs(`fact ${id}, by its facts ${own?.stored.id ?? 'none'}`)
        }
        if (!isSame(parsed(item), parsed(itemOf(own)))) return differs(`not what fact ${id} says`)
      }
      place += 1
      const { value: left } = expected.next()
      return left === undefined ? [] : differs(`missing, by its facts ${left.stored.id}`)
    })
  }
}

type EventsQuery = Omit<TimelineQuery, 'limit' | 'after'>

interface EventsList {
  readonly query: EventsQuery
  readonly events: readonly EventPlace[]
}

function listsOf(
  { profile: { externalId }, events, names }: FoldedEntity,
  by: TimelineQuery['by'],
): readonly EventsList[] {
  const at = (event: EventPlace) => (by === 'occurred' ? event.occurredAt : event.recordedAt)
  const inOrder =
    by === 'recorded' ? events : events.toSorted((left, right) => at(left) - at(right))
  const middle = inOrder[inOrder.length >> 1]
  const since = middle === undefined ? 0 : at(middle)
  const ascending = { externalId, by, order: 'asc' } as const
  return [
    { query: { externalId, by, order: 'desc' }, events: inOrder.toReversed() },
    ...names.map((name, index) => ({
      query: { ...ascending, name },
      events: inOrder.filter((event) => event.name === index),
    })),
    { query: { ...ascending, since }, events: inOrder.filter((event) => at(event) >= since) },
  ]
}

function urlOf({ by, order, name, since }: EventsQuery): string {
  return `events?${new URLSearchParams({
    by,
    order,
    ...(name === undefined ? {} : { name }),
    ...(since === undefined ? {} : { since: timestampIn(since) }),
  }).toString()}`
}

async function* itemsOf<Item, Cursor>(
  page: (after?: Cursor) => Promise<Part<Item, Cursor> | undefined>,
): AsyncGenerator<Item> {
  let after: Cursor | undefined
  do {
    const part = await page(after)
    yield* part?.items ?? []
    after = part?.next
  } while (after !== undefined)
}

function parsed(item: object): unknown {
  return JSON.parse(JSON.stringify(item))
}

function timelineItem({ fact }: OwnFact): TimelineItem {
  const { id, recordedAt, tookEffectAt: occurredAt, effect } = fact
  if (effect.kind !== 'event') throw new TypeError('expected an event')
  const { name, properties } = effect.event
  return { id, name, properties: JsonText.of(properties), recordedAt, occurredAt }
}

function historyItem({ stored, fact }: OwnFact): HistoryItem {
  const { id: factId, recordedAt: changedAt, effect } = fact
  if (effect.kind !== 'created' && effect.kind !== 'properties') {
    throw new TypeError('expected a change of properties')
  }
  const { set, unset } = effect
  return { factId, changedAt, set: JsonText.of(set), unset, requestId: requestIdOf(stored) }
}
