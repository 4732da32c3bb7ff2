import { describe, expect, test } from '@jest/globals'
import {
  readEntityCreated,
  readEventRecorded,
  toStored,
  UnreadableFact,
} from '../../../src/application/facts/fact-format.js'
import type { StoredFact } from '../../../src/application/facts/stored-fact.js'
import type { EntityCreated, EventRecorded } from '../../../src/domain/entity.js'

const created: EntityCreated = {
  id: 'fact-1',
  type: 'EntityCreated',
  data: { externalId: 'ada', properties: { a: [1] }, createdAt: '2026-11-20T09:30:00.000Z' },
}
const recorded: EventRecorded = {
  id: 'fact-2',
  type: 'EventRecorded',
  data: {
    entityExternalId: 'ada',
    name: 'login',
    properties: {},
    recordedAt: '2026-11-20T09:30:00.000Z',
  },
}
const keyHash = 'ab'.repeat(32)
const storedCreated = toStored(created, { requestId: 'req-1', keyHash: undefined })
const storedRecorded = toStored(recorded, { requestId: 'req-2', keyHash })

describe('a fact is stored', () => {
  test('as the text that other services read', () => {
    expect(storedCreated).toEqual({
      id: 'fact-1',
      type: 'EntityCreated',
      data: '{"externalId":"ada","properties":{"a":[1]},"createdAt":"2026-11-20T09:30:00.000Z"}',
      metadata: '{"schemaVersion":1,"$correlationId":"req-1"}',
    })
  })

  test('with the hash of its key, when it has one', () => {
    expect(storedRecorded).toEqual({
      id: 'fact-2',
      type: 'EventRecorded',
      data:
        '{"entityExternalId":"ada","name":"login","properties":{},' +
        '"recordedAt":"2026-11-20T09:30:00.000Z"}',
      metadata: `{"schemaVersion":1,"$correlationId":"req-2","idempotencyKey":"${keyHash}"}`,
    })
  })
})

describe('a stored fact is read', () => {
  test('as it was', () => {
    expect(readEntityCreated(storedCreated)).toEqual(created)
    expect(readEventRecorded(storedRecorded)).toEqual(recorded)
  })

  test('by the reader of its type alone', () => {
    expect(readEntityCreated(storedRecorded)).toBeUndefined()
    expect(readEventRecorded(storedCreated)).toBeUndefined()
  })
})

describe('a stored fact that is not of our form cannot be read', () => {
  const data = { ...created.data }
  const metadata = { schemaVersion: 1, $correlationId: 'req-1' }
  test.each<[string, Partial<StoredFact>]>([
    ['data that is not JSON', { data: '{' }],
    ['data of another type', { data: '[]' }],
    ['data without a member', { data: JSON.stringify({ ...data, properties: undefined }) }],
    ['a name that is no text', { data: JSON.stringify({ ...data, externalId: 1 }) }],
    ['properties that are no object', { data: JSON.stringify({ ...data, properties: [] }) }],
    [
      'a time without milliseconds',
      { data: JSON.stringify({ ...data, createdAt: '2026-11-20T09:30:00Z' }) },
    ],
    [
      'a time of another zone',
      { data: JSON.stringify({ ...data, createdAt: '2026-11-20T09:30:00.000+01:00' }) },
    ],
    ['metadata that is not JSON', { metadata: '' }],
    ['another version', { metadata: JSON.stringify({ ...metadata, schemaVersion: 2 }) }],
    ['no version', { metadata: JSON.stringify({ ...metadata, schemaVersion: undefined }) }],
    ['no request', { metadata: JSON.stringify({ ...metadata, $correlationId: undefined }) }],
    ['a key that is no text', { metadata: JSON.stringify({ ...metadata, idempotencyKey: 1 }) }],
  ])('%s', (_what, part) => {
    expect(() => readEntityCreated({ ...storedCreated, ...part })).toThrow(
      new UnreadableFact('fact fact-1 does not have the form of its type and version'),
    )
  })

  test.each<[string, object]>([
    ['no entity', { entityExternalId: undefined }],
    ['no name', { name: undefined }],
    ['no properties', { properties: undefined }],
    ['a time of another form', { recordedAt: '2026-11-20T09:30:00Z' }],
  ])('an event with %s', (_what, part) => {
    const text = JSON.stringify({ ...recorded.data, ...part })
    expect(() => readEventRecorded({ ...storedRecorded, data: text })).toThrow(UnreadableFact)
  })
})
