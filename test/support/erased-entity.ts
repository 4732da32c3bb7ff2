import { randomUUID } from 'node:crypto'
import { setImmediate as immediate } from 'node:timers/promises'
import type { SqliteEventStore } from '../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { toStored } from '../../src/application/facts/fact-format.js'
import { entityStream } from '../../src/domain/entity.js'
import { creation } from './stored-facts.js'

const at = '2026-11-20T09:30:00.007Z'
const context = { requestId: 'r', keyHash: undefined }

/** Creates an entity whose properties contain its external id, and closes its stream. No fact is removed yet. */
export async function closeEntity(
  store: SqliteEventStore,
  externalId: string,
  entityId: string = randomUUID(),
): Promise<{ readonly entityId: string; readonly closedAt: string }> {
  const properties = { mark: `a secret of ${externalId}` }
  const data = { externalId, properties, createdAt: at }
  const created = toStored({ id: entityId, type: 'EntityCreated', data }, context)
  await store.append(creation(entityStream(externalId), created))
  const erased = { erasureId: `erasure of ${entityId}`, entityId, at }
  const fact = toStored({ id: randomUUID(), type: 'EntityErased', data: erased }, context)
  const closing = { externalId, entityId, fact, suppress: true }
  const { position: closedAt } = await store.erasable.close(closing)
  return { entityId, closedAt }
}

/** Removes all facts of a closed stream. */
export async function removeEntity(store: SqliteEventStore, entityId: string) {
  for (;;) {
    const progress = await store.erasable.remove({ entityId }, new AbortController().signal)
    if (progress.isDone) return progress
    await immediate()
  }
}
