import { beforeEach, describe, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { Refusal } from '../../../src/application/ports/refusal.js'
import type { Append, EventStore } from '../../../src/application/recording/ports/event-store.js'
import {
  recordEventUseCase,
  type RecordEventRequest,
} from '../../../src/application/recording/record-event.js'
import { trackUnknownOutcomes } from '../../../src/application/recording/track-unknown-outcomes.js'
import { StoppedClock } from '../../support/http-service.js'

let store: MemoryEventStore
let made: number
beforeEach(() => {
  store = new MemoryEventStore()
  made = 0
})

const ids = { next: () => `fact-${String((made += 1))}` }

const login = { entityExternalId: 'ada', name: 'login', properties: { a: 1 }, upsert: true }

function record(request: Partial<RecordEventRequest> = {}, over: EventStore = store) {
  const recordEvent = recordEventUseCase(over, new StoppedClock(), ids)
  return recordEvent({ requestId: 'req', ...login, ...request })
}

const typesIn = () => store.read('entity-ada').map(({ type }) => type)
const both = ['EntityCreated', 'EventRecorded']

/** A fault of one append: an error instead of the append, or after it. */
interface Fault {
  readonly error: Error
  readonly isStored: boolean
}

/** Returns the store with these faults for its next appends, in order. Undefined means no fault. */
function faulty(...faults: (Fault | undefined)[]): EventStore {
  return trackUnknownOutcomes({
    append: async (append: Append) => {
      const fault = faults.shift()
      if (fault === undefined) return store.append(append)
      if (fault.isStored) await store.append(append)
      throw fault.error
    },
  })
}

const refused = (error: Error): Fault => ({ error, isStored: false })
const unknown = new Refusal('outcome_unknown', 'no answer')
const lost: Fault = { error: unknown, isStored: false }
const late: Fault = { error: unknown, isStored: true }
const away = refused(new Refusal('store_unavailable', 'away'))

describe('many concurrent events with upsert about a missing entity', () => {
  test('create the entity once and are all recorded', async () => {
    const recorded = await Promise.all(Array.from({ length: 20 }, () => record()))
    expect(new Set(recorded.map(({ position }) => position)).size).toBe(20)
    expect(typesIn().toSorted()).toEqual([
      'EntityCreated',
      ...Array<string>(20).fill('EventRecorded'),
    ])
    expect(typesIn()[0]).toBe('EntityCreated')
  })

  test('under one key create the entity once and are recorded once', async () => {
    const repeats = Array.from({ length: 20 }, () => record({ idempotencyKey: 'k' }))
    const recorded = await Promise.all(repeats)
    expect(recorded.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(recorded.map(({ position }) => position))).toEqual(new Set(['2']))
    expect(typesIn()).toEqual(both)
  })
})

describe('an event with upsert under a key, after an attempt that failed', () => {
  // The appends are the event, the creation, and the event again.
  test.each<[string, readonly (Fault | undefined)[]]>([
    ['at the creation, which is not stored', [undefined, lost]],
    ['at the creation, which is stored', [undefined, late]],
    ['at the event, which is not stored', [undefined, undefined, lost]],
    ['at the event, which is stored', [undefined, undefined, late]],
    ['between the two facts, with the store unavailable', [undefined, undefined, away]],
  ])('%s, may be stored, and a repeated request records it once', async (_where, faults) => {
    await expect(record({ idempotencyKey: 'k' }, faulty(...faults))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    const recorded = await record({ idempotencyKey: 'k' })
    expect(typesIn()).toEqual(both)
    expect(recorded.fact.id).toBe(store.read('entity-ada')[1]?.id)
    expect(await record({ idempotencyKey: 'k' })).toEqual({ ...recorded, replayed: true })
    expect(typesIn()).toEqual(both)
  })

  test.each<[string, Fault]>([
    ['is not stored', lost],
    ['is stored', late],
  ])(
    'at the creation, which %s, may still be stored when the store refuses the retry',
    async (_what, fault) => {
      const over = faulty(undefined, fault, away, away)
      await expect(record({ idempotencyKey: 'k' }, over)).rejects.toMatchObject({
        code: 'outcome_unknown',
      })
      await expect(record({ idempotencyKey: 'k' }, over)).rejects.toMatchObject({
        code: 'outcome_unknown',
      })
      expect(await record({ idempotencyKey: 'k' }, over)).toMatchObject({ replayed: false })
      expect(typesIn()).toEqual(both)
    },
  )

  test('between the two facts, has an unknown outcome when the retry is refused', async () => {
    const full = refused(new Refusal('overloaded', 'full'))
    await expect(
      record({ idempotencyKey: 'k' }, faulty(undefined, undefined, full)),
    ).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(record({ idempotencyKey: 'k' }, faulty(full))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
  })
})

describe('an event with upsert that is refused', () => {
  test.each([
    new Refusal('store_unavailable', 'away'),
    new Refusal('overloaded', 'full'),
    new Refusal('clock_untrusted', 'apart'),
  ])(
    'temporarily ($name) before anything is stored is certainly not stored, with and without a key',
    async (error) => {
      for (const idempotencyKey of [undefined, 'k']) {
        await expect(record({ idempotencyKey }, faulty(refused(error)))).rejects.toBe(error)
        await expect(record({ idempotencyKey }, faulty(undefined, refused(error)))).rejects.toBe(
          error,
        )
      }
      expect(typesIn()).toEqual([])
    },
  )

  test('after its entity was created has an unknown outcome, even without a key', async () => {
    await expect(record({}, faulty(undefined, undefined, away))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    expect(typesIn()).toEqual(['EntityCreated'])
  })

  test('after another request created its entity is certainly not stored', async () => {
    const over = faulty(undefined, undefined, away)
    const another: EventStore = {
      append: async (append) => {
        if (append.expected === 'new') await record({ name: 'other' })
        return over.append(append)
      },
    }
    await expect(record({ idempotencyKey: 'k' }, another)).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(typesIn()).toEqual(both)
  })

  test('because the entity was removed for good reports entity_removed', async () => {
    const removed = [
      refused(new Refusal('stream_missing', 'gone')),
      refused(new Refusal('stream_removed', 'removed')),
    ]
    await expect(record({}, faulty(...removed))).rejects.toMatchObject({ code: 'entity_removed' })
  })

  test('for another body under its key creates nothing', async () => {
    await record({ idempotencyKey: 'k' })
    const other = record({ idempotencyKey: 'k', name: 'logout' })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(typesIn()).toEqual(both)
  })
})

test('an event without upsert creates nothing and needs one append', async () => {
  const sent: string[] = []
  const watched: EventStore = {
    append: (append) => {
      sent.push(append.expected)
      return store.append(append)
    },
  }
  await expect(record({ upsert: false }, watched)).rejects.toMatchObject({
    code: 'entity_not_found',
  })
  expect(sent).toEqual(['existing'])
  await record({}, watched)
  await record({}, watched)
  expect(sent).toEqual(['existing', 'existing', 'new', 'existing', 'existing'])
})

test('the id of a creation for an event sorts before the id of the event, as in the log', async () => {
  await record()
  expect(store.read('entity-ada').map(({ id }) => id)).toEqual(['fact-1', 'fact-2'])
})
