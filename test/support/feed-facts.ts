import { randomUUID } from 'node:crypto'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import type { JsonObject } from '../../src/domain/json.js'
import { entityStream } from '../../src/domain/entity.js'
import type { LoggedStore } from './logged-store.js'

const recordedAt = '2026-11-20T09:30:00.000Z'

/** Stores an entity's creation after all facts that there are. */
export function addEntity(
  logged: LoggedStore,
  externalId: string,
  properties: JsonObject = {},
): void {
  const data = { externalId, properties, createdAt: recordedAt }
  add(logged, externalId, { id: randomUUID(), type: 'EntityCreated', data })
}

/** Stores so many events of an entity, with gaps between their positions. */
export function addEvents(
  logged: LoggedStore,
  entityExternalId: string,
  count: number,
  properties: JsonObject = {},
): void {
  for (let at = 0; at < count; at += 1) {
    const data = { entityExternalId, name: 'login', properties, recordedAt }
    add(logged, entityExternalId, { id: randomUUID(), type: 'EventRecorded', data })
  }
}

function add(logged: LoggedStore, externalId: string, fact: Fact): void {
  const stored = toStored(fact, { requestId: 'test', keyHash: undefined })
  logged.add(entityStream(externalId), logged.newest + 3, stored)
}
