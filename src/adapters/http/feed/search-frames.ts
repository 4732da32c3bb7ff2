import { z } from 'zod'
import type { SearchStep } from '../../../application/reading/search-entities.js'
import type { SearchHit } from '../../../application/reading/ports/read-model.js'
import {
  count,
  entityId,
  externalId,
  itemsOf,
  recordedAt,
  sentProperties,
  timestamp,
} from '../schemas/common.js'
import { StepWriter } from './step-writer.js'

const searchHit = z
  .strictObject({
    external_id: externalId,
    entity_id: entityId,
    properties: sentProperties.meta({
      description:
        'The properties of the entity, or the values at the pointers of `properties`, if that parameter was sent.',
    }),
    created_at: timestamp.meta({ description: "The own time of the entity's creation." }),
    recorded_at: recordedAt,
    updated_at: timestamp,
    event: z
      .strictObject({
        id: z.string().meta({ description: 'The id of the event.' }),
        occurred_at: timestamp.meta({ description: 'The time of the event.' }),
        voided_at: timestamp.optional().meta({
          description:
            'When it was voided. Present for voided events, which include=voided searches.',
        }),
      })
      .optional()
      .meta({
        description:
          'The newest event that matches, in a search of events. A voided event only if no other one matches.',
      }),
  })
  .meta({ id: 'SearchHit' })

const figures = {
  entities: count.meta({ description: 'The number of all entities.' }),
  looked_at: count.meta({
    description: 'The number of entities that were searched. 0 if only the index was read.',
  }),
  hits: count.meta({ description: 'The number of hits so far.' }),
}

export const searchFrames = {
  hits: z
    .strictObject({ items: itemsOf(searchHit, 'More hits, the newest entity first.') })
    .meta({ id: 'SearchHits' }),
  progress: z.strictObject(figures).meta({ id: 'SearchProgress' }),
  result: z
    .strictObject({
      ...figures,
      indexed: z.boolean().meta({
        description: 'Whether an index of SEARCH_PROPERTIES found the hits with this text.',
      }),
      complete: z.boolean().meta({
        description:
          'Whether all entities were searched. False if the search ended at a limit of time, ' +
          'entities, hits or bytes: more entities may match.',
      }),
    })
    .meta({ id: 'SearchResult' }),
}

type FrameData = {
  readonly [Name in keyof typeof searchFrames]: z.infer<(typeof searchFrames)[Name]>
}

/** Writes the steps of a search. */
export class SearchWriter extends StepWriter<SearchStep> {
  protected override dataOf(step: SearchStep): FrameData[SearchStep['kind']] {
    switch (step.kind) {
      case 'hits':
        return { items: step.items.map(hitData) }
      case 'progress': {
        const { entities, lookedAt: looked_at, hits } = step
        return { entities, looked_at, hits }
      }
      case 'result': {
        const {
          entities,
          lookedAt: looked_at,
          hits,
          isIndexed: indexed,
          isComplete: complete,
        } = step
        return { entities, looked_at, hits, indexed, complete }
      }
    }
  }
}

function hitData(hit: SearchHit): z.infer<typeof searchHit> {
  const { eventId, occurredAt, voidedAt } = hit
  const event =
    eventId === undefined || occurredAt === undefined
      ? {}
      : { event: { id: eventId, occurred_at: occurredAt, voided_at: voidedAt } }
  return {
    external_id: hit.externalId,
    entity_id: hit.entityId,
    properties: hit.properties,
    created_at: hit.createdAt,
    recorded_at: hit.recordedAt,
    updated_at: hit.updatedAt,
    ...event,
  }
}
