import type {
  EntityListQuery,
  EventListQuery,
  EventVoidQuery,
  HistoryQuery,
  PastQuery,
  SearchQuery,
} from './types.js'
import type {
  ChangedEntity,
  CreatedEntity,
  EntityChange,
  EntitySegments,
  HistoryEntry,
  ListedEntity,
  ListedEvent,
  NewEntity,
  NewEvent,
  Profile,
  RecordedEvent,
  VoidedEvent,
} from './api-types.js'
import { Pages } from './pages.js'
import {
  keyed,
  objectIn,
  reading,
  step,
  withQuery,
  type ReadOptions,
  type WriteOptions,
} from './requests.js'
import { Search } from './search.js'
import type { Transport } from './transport.js'

/** Customers or users, each identified by an `external_id`. Every method throws `DossierError`. */
export class Entities {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Creates an entity. An existing entity is not changed. Error: 409 `entity_exists`. */
  async create(
    externalId: string,
    entity: Omit<NewEntity, 'external_id'> = {},
    options: WriteOptions = {},
  ): Promise<CreatedEntity> {
    const body = { external_id: externalId, ...objectIn(entity, '{ properties: {} }') }
    const request = { ...keyed(options, 'POST', '/entities'), body }
    return this.transport.send<'createEntity'>(request, options)
  }

  /**
   * Sets and unsets properties, and leaves other properties unchanged. With `occurred_at`, does not
   * replace a property that a later change has set or unset. With `upsert`, creates a missing
   * entity, and the reply then has `created_at`. Without `upsert`, a missing entity causes the
   * error 404 `entity_not_found`.
   */
  update(
    externalId: string,
    change: EntityChange,
    options: WriteOptions = {},
  ): Promise<ChangedEntity | CreatedEntity> {
    const request = { ...keyed(options, 'PATCH', pathOf(externalId)), body: change }
    return this.transport.send<'updateEntity'>(request, options)
  }

  /** Records an event about an entity. Without `upsert`, a missing entity causes the error 404. */
  async record(
    externalId: string,
    event: Omit<NewEvent, 'entity_external_id'>,
    options: WriteOptions = {},
  ): Promise<RecordedEvent> {
    const body = { entity_external_id: externalId, ...objectIn(event, "{ name: 'purchase' }") }
    const request = { ...keyed(options, 'POST', '/events'), body }
    return this.transport.send<'recordEvent'>(request, options)
  }

  /**
   * Voids an event. The event stays in the log, but no longer counts anywhere. A repeated call
   * returns the first void. Error: 404 `event_not_found`.
   */
  async voidEvent(
    externalId: string,
    eventId: string,
    query: EventVoidQuery = {},
    options: WriteOptions = {},
  ): Promise<VoidedEvent> {
    const path = withQuery(`${pathOf(externalId)}/events/${step(eventId)}`, { ...query })
    return this.transport.send<'voidEvent'>(keyed(options, 'DELETE', path), options)
  }

  /**
   * Returns the current profile, the profile at a past time (`as_of`), or the profile as it was
   * known at a past time (`known_at`). Error: 404 `entity_not_found`.
   */
  get(externalId: string, past: PastQuery = {}, options: ReadOptions = {}): Promise<Profile> {
    const path = withQuery(pathOf(externalId), { ...past })
    return this.transport.send<'getProfile'>(reading(options, path), options)
  }

  /** Lists all entities in creation order, or only the entities that match the query. */
  list(query: EntityListQuery = {}, options: ReadOptions = {}): Pages<ListedEntity> {
    return new Pages((cursor) => {
      const path = withQuery('/entities', { ...query, cursor })
      return this.transport.send<'listEntities'>(reading(options, path), options)
    }, query.cursor)
  }

  /**
   * Searches for entities by a property of their profile, or by a property of their events of one
   * name.
   */
  search(query: SearchQuery, options: ReadOptions = {}): Search {
    return new Search(this.transport, query, options)
  }

  /** Lists the events of an entity. Default order: newest first, by the time of the event. */
  events(
    externalId: string,
    query: EventListQuery = {},
    options: ReadOptions = {},
  ): Pages<ListedEvent> {
    return new Pages((cursor) => {
      const path = withQuery(`${pathOf(externalId)}/events`, { ...query, cursor })
      return this.transport.send<'getTimeline'>(reading(options, path), options)
    }, query.cursor)
  }

  /**
   * Lists the creation of an entity and the changes of its properties. Default order: newest first,
   * by the time at which they were recorded.
   */
  history(
    externalId: string,
    query: HistoryQuery = {},
    options: ReadOptions = {},
  ): Pages<HistoryEntry> {
    return new Pages((cursor) => {
      const path = withQuery(`${pathOf(externalId)}/history`, { ...query, cursor })
      return this.transport.send<'getHistory'>(reading(options, path), options)
    }, query.cursor)
  }

  /**
   * Lists the segments of an entity: its current segments, its segments at a past time, or its
   * segments as they were known at a past time.
   */
  segments(
    externalId: string,
    past: PastQuery = {},
    options: ReadOptions = {},
  ): Promise<EntitySegments> {
    const path = withQuery(`${pathOf(externalId)}/segments`, { ...past })
    return this.transport.send<'getEntitySegments'>(reading(options, path), options)
  }
}

function pathOf(externalId: string): string {
  return `/entities/${step(externalId)}`
}
