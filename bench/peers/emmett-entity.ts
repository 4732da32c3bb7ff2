import { CommandHandler, EmmettError, type Event } from '@event-driven-io/emmett'

/** An entity as Emmett's samples write an aggregate: events, state, `evolve`, decisions. */

type EntityCreated = Event<
  'EntityCreated',
  { externalId: string; properties: Record<string, unknown>; createdAt: string }
>

type EventRecorded = Event<
  'EventRecorded',
  {
    id: string
    entityExternalId: string
    name: string
    properties: Record<string, unknown>
    recordedAt: string
  }
>

export type EntityEvent = EntityCreated | EventRecorded

export interface Entity {
  readonly exists: boolean
}

function evolve(state: Entity, { type }: EntityEvent): Entity {
  return type === 'EntityCreated' ? { exists: true } : state
}

export const handle = CommandHandler<Entity, EntityEvent>({
  evolve,
  initialState: () => ({ exists: false }),
  mapToStreamId: (id) => `entity-${id}`,
})

export function createEntity(data: EntityCreated['data'], { exists }: Entity): EntityCreated {
  if (exists) throw new EmmettError({ errorCode: 409, message: 'the entity exists' })
  return { type: 'EntityCreated', data }
}

export function recordEvent(data: EventRecorded['data'], { exists }: Entity): EventRecorded {
  if (!exists) throw new EmmettError({ errorCode: 404, message: 'no entity has this id' })
  return { type: 'EventRecorded', data }
}
