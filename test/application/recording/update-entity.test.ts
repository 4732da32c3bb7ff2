import { beforeEach, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { createEntityUseCase } from '../../../src/application/recording/create-entity.js'
import { Refusal, RuleRefused } from '../../../src/application/ports/refusal.js'
import type { EventStore } from '../../../src/application/recording/ports/event-store.js'
import { trackUnknownOutcomes } from '../../../src/application/recording/track-unknown-outcomes.js'
import {
  updateEntityUseCase,
  type UpdateEntityRequest,
} from '../../../src/application/recording/update-entity.js'
import { StoppedClock } from '../../support/http-service.js'

// The HTTP tests cover updates and their responses. These tests cover cases that need a store that fails.

const clock = new StoppedClock()
const ids = { next: () => crypto.randomUUID() }
let store: MemoryEventStore
/** The entities whose profiles are full. */
let full: Set<string>
beforeEach(async () => {
  store = new MemoryEventStore()
  full = new Set()
  const create = createEntityUseCase(store, clock, ids)
  await create({ requestId: 'req', externalId: 'ada', properties: { plan: 'free' } })
})

const change = { externalId: 'ada', set: { plan: 'paid' }, unset: ['trial'], upsert: false }

function update(request: Partial<UpdateEntityRequest>, over: EventStore = store) {
  const isFull = (externalId: string) => full.has(externalId)
  return updateEntityUseCase(over, clock, ids, isFull)({ requestId: 'req', ...change, ...request })
}

test('an upsert that changes nothing can be retried when the entity was removed during the request', async () => {
  const removing: EventStore = {
    append: (append) =>
      append.expected === 'first'
        ? Promise.reject(new Refusal('stream_missing', 'gone'))
        : store.append(append),
  }
  const nothing = { set: {}, unset: [], upsert: true }
  await expect(update(nothing, removing)).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('after a creation by an upsert with an unknown outcome, the change is not sent', async () => {
  const expected: string[] = []
  const silent: EventStore = {
    append: (append) => {
      expected.push(append.expected)
      return Promise.reject(new Refusal('outcome_unknown', 'no answer'))
    },
  }
  await expect(update({ upsert: true }, silent)).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(expected).toEqual(['new'])
})

test('a full profile accepts a repeated change that may be stored, and reports its outcome', async () => {
  let isSilent = true
  const tracked = trackUnknownOutcomes({
    append: (append) =>
      isSilent ? Promise.reject(new Refusal('outcome_unknown', 'no answer')) : store.append(append),
  })
  const keyed = { idempotencyKey: 'k' }
  await expect(update(keyed, tracked)).rejects.toMatchObject({ code: 'outcome_unknown' })
  full.add('ada')
  await expect(update(keyed, tracked)).rejects.toMatchObject({ code: 'outcome_unknown' })
  isSilent = false
  expect(await update(keyed, tracked)).toMatchObject({ replayed: false })
  expect(await update(keyed, tracked)).toMatchObject({ replayed: true })
  await expect(update({ idempotencyKey: 'l' }, tracked)).rejects.toThrow(RuleRefused)
})

test('a change of a full profile is not refused as full when the key cannot be looked up', async () => {
  const away: EventStore = {
    append: () => Promise.reject(new Refusal('store_unavailable', 'away')),
  }
  full.add('ada')
  await expect(update({ idempotencyKey: 'k' }, away)).rejects.toMatchObject({
    code: 'store_unavailable',
  })
})
