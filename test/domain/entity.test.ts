import { describe, expect, test } from '@jest/globals'
import {
  createEntity,
  entityStream,
  recordEvent,
  isEquivalent,
  type EntityCreated,
  type EventRecorded,
  type Fact,
} from '../../src/domain/entity.js'
import { deciding } from '../support/decision-sentence.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const created: EntityCreated = {
  id: 'fact-1',
  type: 'EntityCreated',
  data: { externalId: 'ada', properties: { plan: 'free' }, createdAt: '2026-11-20T09:30:00.007Z' },
}
const recorded: EventRecorded = {
  id: 'fact-2',
  type: 'EventRecorded',
  data: {
    entityExternalId: 'ada',
    name: 'login',
    properties: { plan: 'free' },
    recordedAt: '2026-11-20T09:30:00.007Z',
  },
}

describe('creating an entity', () => {
  const when = deciding(createEntity)
  const command = { factId: 'fact-1', externalId: 'ada', properties: { plan: 'free' }, now }

  test('expects a new stream and says that the entity was created', () => {
    when(command).then('new', [created])
  })

  test('writes to the stream of its external_id', () => {
    expect(createEntity(command).stream).toBe('entity-ada')
  })
})

describe('recording an event', () => {
  const when = deciding(recordEvent)
  const command = {
    factId: 'fact-2',
    entityExternalId: 'ada',
    name: 'login',
    properties: { plan: 'free' },
    now,
  }

  test('expects an existing stream and says that the event was recorded', () => {
    when(command).then('existing', [recorded])
  })

  test('writes to the stream of its entity', () => {
    expect(recordEvent(command).stream).toBe('entity-ada')
  })
})

test('a stream is named after the external_id as it is', () => {
  expect(entityStream('a/b %20 Ω-entity-')).toBe('entity-a/b %20 Ω-entity-')
})

describe('two facts say the same', () => {
  test.each<[string, Fact, Fact]>([
    [
      'creations of other ids and times',
      created,
      {
        ...created,
        id: 'other',
        data: { ...created.data, createdAt: '2026-11-21T00:00:00.000Z' },
      },
    ],
    [
      'events of other ids and times',
      recorded,
      {
        ...recorded,
        id: 'other',
        data: { ...recorded.data, recordedAt: '2026-11-21T00:00:00.000Z' },
      },
    ],
  ])('%s', (_what, left, right) => {
    expect(isEquivalent(left, right)).toBe(true)
  })
})

describe('two facts differ', () => {
  const properties = { plan: 'paid' }
  test.each<[string, Fact, Fact]>([
    ['by type', created, recorded],
    ['by type, the other way round', recorded, created],
    ['by external_id', created, { ...created, data: { ...created.data, externalId: 'Ada' } }],
    ['by properties of an entity', created, { ...created, data: { ...created.data, properties } }],
    ['by entity', recorded, { ...recorded, data: { ...recorded.data, entityExternalId: 'eve' } }],
    ['by name', recorded, { ...recorded, data: { ...recorded.data, name: 'logout' } }],
    [
      'by properties of an event',
      recorded,
      { ...recorded, data: { ...recorded.data, properties } },
    ],
  ])('%s', (_what, left, right) => {
    expect(isEquivalent(left, right)).toBe(false)
  })
})
