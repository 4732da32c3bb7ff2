import { z } from 'zod'
import type { StartedService } from '../service-process.js'
import { cursorPages, feedPages, type ListQuery } from './cursor-pages.js'

/** A fact as the feed tells it, and what of it decides where it stands in a list. */
export const loggedFact = z.object({
  id: z.string(),
  position: z.string().transform(Number),
  type: z.string(),
  stream: z.string(),
  data: z.object({ recordedAt: z.string().optional(), occurredAt: z.string().optional() }),
})
export type LoggedFact = z.infer<typeof loggedFact>

const eventType = 'EventRecorded'
const eventItem = z.object({ id: z.string() })
const entityItem = z.object({ entity_id: z.string() }).transform((item) => ({ id: item.entity_id }))

/** A list that is read page by page. Each of its items is told by the id of a fact. */
export interface PagedList {
  readonly name: string
  /** About this part of all facts is in it. */
  readonly part: number
  readonly ids: (
    service: StartedService,
    limit: number,
    position: number,
  ) => AsyncGenerator<readonly { readonly id: string }[]>
  /** Which facts are in it. */
  readonly has: (fact: LoggedFact) => boolean
  /** Negative where the left one comes first. */
  readonly compare: (left: LoggedFact, right: LoggedFact) => number
}

/** The lists that have to do with an entity, one of so many. */
export function listsOf(entity: string, entityCount: number): readonly PagedList[] {
  const part = 1 / entityCount
  const isOfEntity = ({ stream }: LoggedFact) => stream === `entity-${entity}`
  return [
    ...(['occurred', 'recorded'] as const).flatMap((by) =>
      (['desc', 'asc'] as const).map((order) => timeline(entity, part, by, order)),
    ),
    {
      name: '/entities',
      part,
      ids: (service, ...page) => cursorPages(service, query('/entities', {}, ...page), entityItem),
      has: ({ type }) => type === 'EntityCreated',
      compare: byPosition,
    },
    feed({}, 1, () => true),
    feed({ types: eventType }, 1, ({ type }) => type === eventType),
    feed({ entity }, part, isOfEntity),
  ]
}

function timeline(
  entity: string,
  part: number,
  by: 'occurred' | 'recorded',
  order: 'asc' | 'desc',
): PagedList {
  const path = `/entities/${entity}/events`
  const ascending = by === 'occurred' ? byInstant : byPosition
  return {
    name: `${path} ${by} ${order}`,
    part,
    ids: (service, ...page) => cursorPages(service, query(path, { by, order }, ...page), eventItem),
    has: ({ type, stream }) => type === eventType && stream === `entity-${entity}`,
    compare: order === 'asc' ? ascending : (left, right) => ascending(right, left),
  }
}

function feed(
  filter: Readonly<Record<string, string>>,
  part: number,
  has: PagedList['has'],
): PagedList {
  return {
    name: `/facts ${JSON.stringify(filter)}`,
    part,
    ids: (service, ...page) => feedPages(service, query('/facts', filter, ...page), eventItem),
    has,
    compare: byPosition,
  }
}

function query(
  path: string,
  filter: Readonly<Record<string, string>>,
  limit: number,
  position: number,
): ListQuery {
  return { path, query: { ...filter, limit: String(limit) }, position }
}

function byPosition(left: LoggedFact, right: LoggedFact): number {
  return left.position - right.position
}

/** Equal ones in the order of recording. */
function byInstant(left: LoggedFact, right: LoggedFact): number {
  return instantOf(left) - instantOf(right) || byPosition(left, right)
}

function instantOf({ data }: LoggedFact): number {
  return Date.parse(data.occurredAt ?? data.recordedAt ?? '')
}
