import type {
  ChangedEntity,
  CreatedEntity,
  EntityChange,
  EntityListQuery,
  EventListQuery,
  HistoryEntry,
  ListedEntity,
  ListedEvent,
  NewEntity,
  NewEvent,
  PageQuery,
  PastQuery,
  Profile,
  RecordedEvent,
} from './entity-types.js'
import { Pages } from './pages.js'
import { keyed, reading, step, withQuery, type ReadOptions, type WriteOptions } from './requests.js'
import type { EntitySegments } from './segment-types.js'
import type { Transport } from './transport.js'

/** Customers or users, each named by its `external_id`. Every method throws `DossierError`. */
export class Entities {
  constructor(private readonly transport: Transport) {}

  /** Creates an entity; one that exists is not changed: 409 `entity_exists`. */
  create(
    externalId: string,
    { properties }: Pick<NewEntity, 'properties'> = {},
    options: WriteOptions = {},
  ): Promise<CreatedEntity> {
    const body = { external_id: externalId, ...(properties === undefined ? {} : { properties }) }
    const request = { ...keyed(options, 'POST', '/entities'), body }
    return this.transport.send<'createEntity'>(request, options)
  }

  /**
   * Sets and unsets properties, and leaves the others as they are; with `upsert` it creates an entity that
   * does not exist (`created_at` is there then). Else 404 `entity_not_found`.
   */
  update(
    externalId: string,
    change: EntityChange,
    options: WriteOptions = {},
  ): Promise<ChangedEntity | CreatedEntity> {
    const request = { ...keyed(options, 'PATCH', pathOf(externalId)), body: change }
    return this.transport.send<'updateEntity'>(request, options)
  }

  /** Records an event about an entity; one that does not exist: 404, unless `upsert`. */
  record(
    externalId: string,
    event: Omit<NewEvent, 'entity_external_id'>,
    options: WriteOptions = {},
  ): Promise<RecordedEvent> {
    const body = { entity_external_id: externalId, ...event }
    const request = { ...keyed(options, 'POST', '/events'), body }
    return this.transport.send<'recordEvent'>(request, options)
  }

  /** The profile now, or as it was (`as_of`), or as it was known (`known_at`). 404 `entity_not_found`. */
  get(externalId: string, past: PastQuery = {}, options: ReadOptions = {}): Promise<Profile> {
    const path = withQuery(pathOf(externalId), { ...past })
    return this.transport.send<'getProfile'>(reading(options, path), options)
  }

  /** All entities in the order of creation, or those that a parameter picks. */
  list(query: EntityListQuery = {}, options: ReadOptions = {}): Pages<ListedEntity> {
    return new Pages((cursor) => {
      const path = withQuery('/entities', { ...query, cursor })
      return this.transport.send<'listEntities'>(reading(options, path), options)
    }, query.cursor)
  }

  /** Its events: newest first by their own time, if nothing else is said. */
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

  /** The changes of its properties, newest first, the creation last. */
  history(
    externalId: string,
    query: PageQuery = {},
    options: ReadOptions = {},
  ): Pages<HistoryEntry> {
    return new Pages((cursor) => {
      const path = withQuery(`${pathOf(externalId)}/history`, { ...query, cursor })
      return this.transport.send<'getHistory'>(reading(options, path), options)
    }, query.cursor)
  }

  /** What segments it is in: now, as of a time, as was known at a time. */
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
