import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DailyEventsView } from '../../../examples/subscriber/daily-events.js'
import type { EventRecorded } from '../../../src/domain/event.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import { openDatabase } from '../../../src/adapters/sqlite/file/driver.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const makeFolder = temporaryFolders()
let path: string
let view: DailyEventsView

beforeEach(() => {
  path = join(makeFolder(), 'made', 'view.db')
  view = DailyEventsView.open(path)
})

afterEach(() => {
  view.close()
})

function eventOf(entityExternalId: string, recordedAt: string): EventRecorded {
  const data = { entityExternalId, name: 'login', properties: {}, recordedAt }
  return { id: randomUUID(), type: 'EventRecorded', data }
}

function happened(event: EventRecorded, occurredAt: string): EventRecorded {
  return { ...event, data: { ...event.data, occurredAt } }
}

function at(commit: bigint) {
  return { commit, prepare: commit - 1n }
}

test('counts by customer and UTC day, and finds its position after a reopen', () => {
  view.apply(eventOf('b', '2026-11-20T23:59:59.999Z'), at(10n))
  view.apply(eventOf('b', '2026-11-21T00:00:00.000Z'), at(20n))
  view.apply(eventOf('a', '2026-11-20T00:00:00.000Z'), at(30n))
  view.apply(eventOf('b', '2026-11-20T00:00:00.000Z'), at(2n ** 60n + 1n))
  view.close()
  view = DailyEventsView.open(path)
  expect(view.rows()).toEqual([
    { day: '2026-11-20', customer: 'a', events: 1 },
    { day: '2026-11-20', customer: 'b', events: 2 },
    { day: '2026-11-21', customer: 'b', events: 1 },
  ])
  expect(view.position).toEqual(at(2n ** 60n + 1n))
})

test('counts an event on the day on which it happened, if that is published', () => {
  const recorded = eventOf('a', '2026-11-20T00:00:00.000Z')
  view.apply(happened(recorded, '2026-11-19T23:59:59.999Z'), at(10n))
  view.apply(eventOf('a', '2026-11-20T00:00:00.000Z'), at(20n))
  expect(view.rows()).toEqual([
    { day: '2026-11-19', customer: 'a', events: 1 },
    { day: '2026-11-20', customer: 'a', events: 1 },
  ])
})

test('an empty view has no position; a created entity and a checkpoint only move the position', () => {
  expect(view.position).toBeUndefined()
  const createdAt = '2026-11-20T00:00:00.000Z'
  const data = { externalId: 'a', properties: {}, createdAt }
  view.apply({ id: randomUUID(), type: 'EntityCreated', data }, at(10n))
  expect(view.position).toEqual(at(10n))
  view.moveTo(at(20n))
  expect(view.position).toEqual(at(20n))
  expect(view.rows()).toEqual([])
})

test('a fact that is delivered twice is counted once, even at another position', () => {
  const event = eventOf('a', '2026-11-20T00:00:00.000Z')
  view.apply(event, at(10n))
  view.apply(event, at(10n))
  view.apply(event, at(50n))
  expect(view.rows()).toEqual([{ day: '2026-11-20', customer: 'a', events: 1 }])
  expect(view.position).toEqual(at(50n))
})

test('a position that cannot be stored rolls its count back', () => {
  const event = eventOf('a', '2026-11-20T00:00:00.000Z')
  view.apply(event, at(10n))
  const other = openDatabase(path)
  other.exec(
    `CREATE TRIGGER full BEFORE UPDATE ON checkpoint BEGIN SELECT raise(ABORT, 'full'); END`,
  )
  const later = eventOf('a', '2026-11-20T00:00:00.000Z')
  expect(() => {
    view.apply(later, at(20n))
  }).toThrow('full')
  expect(view.rows()).toEqual([{ day: '2026-11-20', customer: 'a', events: 1 }])
  other.exec('DROP TRIGGER full')
  other.close()
  view.apply(later, at(20n))
  expect(view.rows()).toEqual([{ day: '2026-11-20', customer: 'a', events: 2 }])
})

describe('an erased customer, and another customer with the same name:', () => {
  const recordedAt = '2026-11-20T00:00:00.000Z'
  const old = randomUUID()
  const young = randomUUID()
  const erasureId = randomUUID()
  const created = (id: string): Fact => {
    const data = { externalId: 'ada', properties: {}, createdAt: recordedAt }
    return { id, type: 'EntityCreated', data }
  }
  const erased: Fact = {
    id: randomUUID(),
    type: 'EntityErased',
    data: { erasureId, entityId: old, at: recordedAt },
  }
  const removed: Fact = {
    id: randomUUID(),
    type: 'ErasedFactsRemoved',
    data: {
      ...{ erasureId, entityId: old, facts: {}, keys: 0, memberships: 0, at: recordedAt },
      closedAt: { at: recordedAt, position: '1' },
    },
  }
  const event = () => eventOf('ada', recordedAt)
  const apply = (...facts: readonly Fact[]) => {
    for (const [index, fact] of facts.entries()) view.apply(fact, at(BigInt(index + 1)))
    return view.rows().map(({ customer, events }) => ({ customer, events }))
  }
  const one = [{ customer: 'ada', events: 1 }]

  test('the erasure, the removal, the next customer', () => {
    expect(apply(created(old), event(), erased, removed, created(young), event())).toEqual(one)
  })

  test('the next customer before the removal, delivered twice', () => {
    const next = created(young)
    expect(apply(created(old), event(), erased, next, event(), removed, next)).toEqual(one)
  })

  test('no erasure, and the next customer before the removal', () => {
    expect(apply(created(old), event(), created(young), event(), removed)).toEqual(one)
  })

  test('no erasure, and no later customer', () => {
    expect(apply(created(old), event(), removed)).toEqual([])
  })

  test('events after the erasure, and a later customer', () => {
    expect(apply(created(old), erased, event(), event(), created(young), event())).toEqual(one)
  })

  test('events after the erasure, and no later customer', () => {
    expect(apply(created(old), event(), erased, event(), removed)).toEqual([])
  })
})
