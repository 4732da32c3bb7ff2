import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { aboutNoEntity } from '../../../src/domain/facts.js'
import { readFact, toStored } from '../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../src/application/facts/fact-table.js'
import { factTable } from '../../../src/application/facts/fact-table.js'
import { factType, olderVersion } from '../../../src/application/facts/fact-type.js'
import {
  type StoredFact,
  NewerSchemaVersion,
  UnreadableFact,
} from '../../../src/application/facts/stored-fact.js'
import type { EntityCreated } from '../../../src/domain/entity.js'
import type { EventRecorded } from '../../../src/domain/event.js'

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

  test('in version 2 only if a creation or a change has a time that the caller gave', () => {
    const occurredAt = '2024-03-01T00:00:00.000Z'
    const change = {
      id: 'fact-3',
      type: 'EntityPropertiesChanged',
      data: { externalId: 'ada', set: {}, unset: [], changedAt: '2026-11-20T09:30:00.000Z' },
    } as const
    const facts: readonly Fact[] = [created, change]
    for (const fact of facts) {
      const timed = { ...fact, data: { ...fact.data, occurredAt } } as Fact
      const [plain, late] = [fact, timed].map((one) =>
        toStored(one, { requestId: 'req-1', keyHash: undefined }),
      )
      expect(plain?.metadata).toContain('"schemaVersion":1,')
      expect(late?.metadata).toContain('"schemaVersion":2,')
      expect(late && readFact(late)).toEqual(timed)
    }
  })

  test('with the time of occurrence that the caller gave', () => {
    const occurredAt = '2026-11-19T18:05:00.000Z'
    const fact = { ...recorded, data: { ...recorded.data, occurredAt } }
    const stored = toStored(fact, { requestId: 'req-2', keyHash: undefined })
    expect(stored.data).toBe(
      '{"entityExternalId":"ada","name":"login","properties":{},' +
        '"recordedAt":"2026-11-20T09:30:00.000Z","occurredAt":"2026-11-19T18:05:00.000Z"}',
    )
    expect(readFact(stored)).toEqual(fact)
  })

  test('with the hash of its idempotency key, if it has one', () => {
    expect(storedRecorded).toEqual({
      id: 'fact-2',
      type: 'EventRecorded',
      data:
        '{"entityExternalId":"ada","name":"login","properties":{},' +
        '"recordedAt":"2026-11-20T09:30:00.000Z"}',
      metadata: `{"schemaVersion":2,"$correlationId":"req-2","idempotencyKey":"${keyHash}"}`,
    })
  })
})

describe('a stored fact', () => {
  test('is read as the same fact', () => {
    expect(readFact(storedCreated)).toEqual(created)
    expect(readFact(storedRecorded)).toEqual(recorded)
  })

  test('is read only by the reader of its type', () => {
    expect(factTable.EntityCreated.read(storedRecorded)).toBeUndefined()
    expect(factTable.EventRecorded.read(storedCreated)).toBeUndefined()
    expect(readFact({ ...storedCreated, type: 'toString' })).toBeUndefined()
  })
})

describe('a stored fact in another form is refused', () => {
  const data = { ...created.data }
  const metadata = { schemaVersion: 1, $correlationId: 'req-1' }
  test.each<[string, Partial<StoredFact>]>([
    ['data that is not JSON', { data: '{' }],
    ['data of another type', { data: '[]' }],
    ['data without a member', { data: JSON.stringify({ ...data, properties: undefined }) }],
    ['a name that is not a text', { data: JSON.stringify({ ...data, externalId: 1 }) }],
    ['properties that are not an object', { data: JSON.stringify({ ...data, properties: [] }) }],
    [
      'a time without milliseconds',
      { data: JSON.stringify({ ...data, createdAt: '2026-11-20T09:30:00Z' }) },
    ],
    [
      'a time of another zone',
      { data: JSON.stringify({ ...data, createdAt: '2026-11-20T09:30:00.000+01:00' }) },
    ],
    ['metadata that is not JSON', { metadata: '' }],
    ['an unknown version', { metadata: JSON.stringify({ ...metadata, schemaVersion: 0 }) }],
    ['no version', { metadata: JSON.stringify({ ...metadata, schemaVersion: undefined }) }],
    ['no request', { metadata: JSON.stringify({ ...metadata, $correlationId: undefined }) }],
    ['a key that is not a text', { metadata: JSON.stringify({ ...metadata, idempotencyKey: 1 }) }],
  ])('%s', (_what, part) => {
    expect(() => readFact({ ...storedCreated, ...part })).toThrow(
      new UnreadableFact('fact fact-1 does not have the form of its type and version'),
    )
  })

  test.each<[string, object]>([
    ['no external id', { entityExternalId: undefined }],
    ['no name', { name: undefined }],
    ['no properties', { properties: undefined }],
    ['a time of another form', { recordedAt: '2026-11-20T09:30:00Z' }],
    ['a time of occurrence in another form', { occurredAt: '2026-11-20T09:30:00Z' }],
    ['null as its time of occurrence', { occurredAt: null }],
  ])('as an event with %s', (_what, part) => {
    const text = JSON.stringify({ ...recorded.data, ...part })
    expect(() => readFact({ ...storedRecorded, data: text })).toThrow(UnreadableFact)
  })
})

describe('an event of version 1, which has no time of occurrence', () => {
  const metadata = '{"schemaVersion":1,"$correlationId":"req-2"}'

  test('is read as an event of version 2', () => {
    expect(readFact({ ...storedRecorded, metadata })).toEqual(recorded)
  })

  test('has no time of occurrence, even with a member of that name', () => {
    const data = JSON.stringify({ ...recorded.data, occurredAt: 'once upon a time' })
    expect(readFact({ ...storedRecorded, data, metadata })).toEqual(recorded)
  })

  test('is not read as version 2 when it is invalid in version 1', () => {
    const data = JSON.stringify({ ...recorded.data, name: undefined })
    expect(() => readFact({ ...storedRecorded, data, metadata })).toThrow(UnreadableFact)
  })
})

describe('a fact of a newer version', () => {
  test('is refused', () => {
    const metadata = JSON.stringify({ schemaVersion: 3, $correlationId: 'req-1' })
    expect(() => readFact({ ...storedCreated, metadata })).toThrow(
      expect.objectContaining({ name: 'NewerSchemaVersion', version: 3, supported: 2 }),
    )
    expect(() => readFact({ ...storedCreated, metadata })).toThrow(NewerSchemaVersion)
  })
})

describe('a type with three versions', () => {
  interface Moved {
    readonly id: string
    readonly type: 'Moved'
    readonly data: { readonly to: string; readonly country: string }
  }
  const moved = factType<Moved>()({
    type: 'Moved',
    channel: 'entity',
    externalIds: [],
    summary: 'Somebody moved.',
    means: () => aboutNoEntity('2026-11-20T09:30:00.000Z'),
    schema: z.object({ to: z.string(), country: z.string() }),
    older: [
      olderVersion(z.object({ town: z.string() }), ({ town }) => ({ to: town })),
      olderVersion(z.object({ to: z.string() }), ({ to }) => ({ to, country: 'unknown' })),
    ],
    example: { id: 'fact-3', type: 'Moved', data: { to: 'Paris', country: 'France' } },
  })
  const stored = (schemaVersion: number, data: object): StoredFact => ({
    id: 'fact-4',
    type: 'Moved',
    data: JSON.stringify(data),
    metadata: JSON.stringify({ schemaVersion, $correlationId: 'req-1' }),
  })

  test('writes the newest version, and has a schema for each version', () => {
    expect(moved.version).toBe(3)
    expect(moved.schemas).toHaveLength(3)
  })

  test.each([
    [1, { town: 'Rome' }, { to: 'Rome', country: 'unknown' }],
    [2, { to: 'Rome' }, { to: 'Rome', country: 'unknown' }],
    [3, { to: 'Rome', country: 'Italy' }, { to: 'Rome', country: 'Italy' }],
  ])('reads version %d as the newest version', (version, data, read) => {
    expect(moved.read(stored(version, data))).toEqual({ id: 'fact-4', type: 'Moved', data: read })
  })

  test.each([
    [1, { to: 'Rome' }],
    [2, { town: 'Rome' }],
    [3, { to: 'Rome' }],
  ])('does not read version %d in the form of another version', (version, data) => {
    expect(() => moved.read(stored(version, data))).toThrow(UnreadableFact)
  })
})
