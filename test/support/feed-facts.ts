import { randomUUID } from 'node:crypto'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import type { JsonObject } from '../../src/domain/json.js'
import { entityStream } from '../../src/domain/entity.js'
import { segmentsStream } from '../../src/domain/segments/segment-facts.js'
import type { LoggedStore } from './logged-store.js'

const recordedAt = '2026-11-20T09:30:00.000Z'

/** Stores an entity's creation after all existing facts. */
export function addEntity(
  logged: LoggedStore,
  externalId: string,
  properties: JsonObject = {},
): void {
  const data = { externalId, properties, createdAt: recordedAt }
  add(logged, entityStream(externalId), { id: randomUUID(), type: 'EntityCreated', data })
}

/** Stores events of an entity with gaps between their positions. Creates the entity first if it is missing. */
export function addEvents(
  logged: LoggedStore,
  entityExternalId: string,
  count: number,
  properties: JsonObject = {},
): void {
  const stream = entityStream(entityExternalId)
  const isThere = logged.facts.some((fact) => fact.stream === stream)
  if (!isThere) addEntity(logged, entityExternalId, properties)
  for (let at = isThere ? 0 : 1; at < count; at += 1) {
    const data = { entityExternalId, name: 'login', properties, recordedAt }
    add(logged, stream, { id: randomUUID(), type: 'EventRecorded', data })
  }
}

/** Stores the definition of a segment without building the segment. */
export function addSegment(logged: LoggedStore, segment: string): void {
  const kind = { kind: 'rule', rule: { event: 'buy' }, evaluator: 1 } as const
  const data = { segment, version: 1, title: segment, ...kind, definedAt: recordedAt }
  add(logged, segmentsStream, { id: randomUUID(), type: 'SegmentDefined', data })
}

function add(logged: LoggedStore, stream: string, fact: Fact): void {
  const stored = toStored(fact, { requestId: 'test', keyHash: undefined })
  logged.add(stream, logged.newest + 3, stored)
}
