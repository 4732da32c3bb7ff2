import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { EventStore } from '@event-driven-io/emmett'
import {
  getApplication,
  HttpResponse,
  on,
  type HttpHandler,
  type WebApiSetup,
} from '@event-driven-io/emmett-expressjs'
import type { Request, RequestHandler, Router } from 'express'
import { announce } from './announce.js'
import { createEntity, handle, recordEvent } from './emmett-entity.js'
import { entitySchema, eventSchema, success, type RecordedEvent } from './forms.js'

/** Runs a command now or in its turn. */
export type Schedule = <T>(command: () => Promise<T>) => Promise<T>

/** Emmett's own Express application over one of its stores. Answers when the handler has appended. */
export function startEmmett(eventStore: EventStore, schedule: Schedule): void {
  const application = getApplication({ apis: [entityApi(eventStore, schedule)] })
  const server = application.listen(Number(process.env['PORT'] ?? '0'), '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    announce(port)
  })
}

function entityApi(eventStore: EventStore, schedule: Schedule): WebApiSetup {
  return (router: Router) => {
    router.post(
      '/entities',
      answering(async (request) => {
        const { external_id: externalId, properties = {} } = entitySchema.parse(request.body)
        const createdAt = new Date().toISOString()
        await schedule(() =>
          handle(eventStore, externalId, (state) =>
            createEntity({ externalId, properties, createdAt }, state),
          ),
        )
        const data = { external_id: externalId, properties, created_at: createdAt }
        return HttpResponse(201, { body: success(data) })
      }),
    )
    router.post(
      '/events',
      answering(async (request) => {
        const { entity_external_id, name, properties = {} } = eventSchema.parse(request.body)
        const id = randomUUID()
        const timestamp = new Date().toISOString()
        const recorded = { id, entityExternalId: entity_external_id, name, properties }
        await schedule(() =>
          handle(eventStore, entity_external_id, (state) =>
            recordEvent({ ...recorded, recordedAt: timestamp }, state),
          ),
        )
        const event: RecordedEvent = { id, entity_external_id, name, properties, timestamp }
        return HttpResponse(201, { body: success(event) })
      }),
    )
  }
}

/** Emmett's `on`, for an Express whose types know no promises. */
function answering(handler: HttpHandler<Request>): RequestHandler {
  const answer = on(handler)
  return (request, response, next) => {
    answer(request, response, next).catch(next)
  }
}
