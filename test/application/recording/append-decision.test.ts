import { describe, expect, test } from '@jest/globals'
import { createEntityUseCase } from '../../../src/application/recording/create-entity.js'
import { UnreadableFact, type StoredFact } from '../../../src/application/facts/stored-fact.js'

const ada = { externalId: 'ada', properties: {}, requestId: 'req-1', idempotencyKey: 'key' }
const clock = { now: () => new Date('2026-11-20T09:30:00.000Z') }
const ids = { next: () => 'fact-1' }

describe('an idempotent response without the stored fact is reported as unreadable', () => {
  const other = { id: 'x', type: 'EventRecorded', data: '{}', metadata: '{}' }
  test.each<[string, readonly StoredFact[]]>([
    ['without a fact', []],
    ['with a fact of another type', [other]],
  ])('%s', async (_what, facts) => {
    const store = { append: () => Promise.resolve({ position: '1', facts, replayed: true }) }
    const createEntity = createEntityUseCase(store, clock, ids)
    await expect(createEntity(ada)).rejects.toThrow(UnreadableFact)
  })
})
