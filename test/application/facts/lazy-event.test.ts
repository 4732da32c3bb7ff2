import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readFact, toStored } from '../../../src/application/facts/fact-format.js'
import { lazyEvent } from '../../../src/application/facts/lazy-event.js'
import type { StoredFact } from '../../../src/application/facts/stored-fact.js'
import type { EventRecorded } from '../../../src/domain/event.js'
import { quickOrThorough } from '../../support/thoroughness.js'
import { codePoint } from '../../support/code-point.js'

const numRuns = quickOrThorough({ quick: 100, thorough: 10_000 })

const instants = fc
  .integer({
    min: Date.parse('0000-01-01T00:00:00.000Z'),
    max: Date.parse('9999-12-31T23:59:59.999Z'),
  })
  .map((time) => new Date(time).toISOString())
const texts = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u001f', '\u007f', '\ud800', '__proto__', '"},"'),
)
/** Texts that JSON writes without escapes. */
const plainTexts = fc
  .string({ unit: codePoint })
  .map((text) => text.replaceAll(/["\\\p{Cc}]/gu, ''))
const scalars = fc.oneof(
  texts,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)

function events(names: fc.Arbitrary<string>, values: fc.Arbitrary<unknown>) {
  return fc
    .record({
      id: fc.uuid(),
      entityExternalId: names,
      name: names,
      properties: fc.dictionary(texts, values, { maxKeys: 5, noNullPrototype: true }),
      recordedAt: instants,
      occurredAt: fc.option(instants),
      keyHash: fc.option(fc.constant('ab'.repeat(32)), { nil: undefined }),
    })
    .map(({ id, keyHash, entityExternalId, name, properties, recordedAt, occurredAt }) => {
      const data = {
        entityExternalId,
        name,
        properties: JSON.parse(JSON.stringify(properties)) as EventRecorded['data']['properties'],
        recordedAt,
        ...(occurredAt === null ? {} : { occurredAt }),
      }
      const event: EventRecorded = { id, type: 'EventRecorded', data }
      return toStored(event, { requestId: 'req-1', keyHash })
    })
}

/** Returns all members that `lazyEvent` reads, or undefined when it leaves the fact to `readFact`. */
function readLazily(stored: StoredFact) {
  const event = lazyEvent(stored)
  if (event === undefined) return undefined
  const { entityExternalId, name, properties, recordedAt } = event.data
  const said = 'occurredAt' in event.data ? { occurredAt: event.data.occurredAt } : {}
  return {
    id: event.id,
    type: event.type,
    data: { entityExternalId, name, properties, recordedAt, ...said },
  }
}

describe('an event that is read lazily', () => {
  test('equals the event that readFact returns, for all properties', () => {
    fc.assert(
      fc.property(events(texts, fc.oneof(scalars, fc.jsonValue())), (stored) => {
        const lazily = readLazily(stored)
        if (lazily !== undefined) expect(lazily).toEqual(readFact(stored))
      }),
      { numRuns },
    )
  })

  test('is defined for scalar properties with plain names, except on leap days', () => {
    fc.assert(
      fc.property(events(plainTexts, scalars), (stored) => {
        const isOnLeapDay = stored.data.includes('-02-29T')
        fc.pre(!isOnLeapDay && stored.data.length < 4_096)
        expect(readLazily(stored)).toEqual(readFact(stored))
      }),
      { numRuns },
    )
  })

  test('is undefined after a change of one character, unless readFact still reads it', () => {
    const edits = fc.record({
      at: fc.nat({ max: 400 }),
      removed: fc.constantFrom(0, 1),
      added: fc.constantFrom('', '"', '\\', '{', '}', ',', ':', '0', '9', '-', '.', 'e', '\n', 'x'),
      isMetadata: fc.boolean(),
    })
    fc.assert(
      fc.property(events(plainTexts, scalars), edits, (stored, edit) => {
        const edited = (text: string) => {
          const at = edit.at % (text.length + 1)
          return text.slice(0, at) + edit.added + text.slice(at + edit.removed)
        }
        const changed = edit.isMetadata
          ? { ...stored, metadata: edited(stored.metadata) }
          : { ...stored, data: edited(stored.data) }
        const lazily = readLazily(changed)
        if (lazily !== undefined) expect(lazily).toEqual(readFact(changed))
      }),
      { numRuns: numRuns * 4 },
    )
  })

  test('is undefined for another type, an older version, or more than 4,096 characters', () => {
    const event: EventRecorded = {
      id: 'fact-1',
      type: 'EventRecorded',
      data: {
        entityExternalId: 'ada',
        name: 'login',
        properties: { note: 'x'.repeat(3_000) },
        recordedAt: '2026-11-20T09:30:00.000Z',
      },
    }
    const stored = toStored(event, { requestId: 'req-1', keyHash: undefined })
    expect(lazyEvent(stored)).toBeDefined()
    expect(lazyEvent({ ...stored, type: 'EntityCreated' })).toBeUndefined()
    const older = { ...stored, metadata: '{"schemaVersion":1,"$correlationId":"req-1"}' }
    expect(lazyEvent(older)).toBeUndefined()
    const long = { ...event, data: { ...event.data, properties: { note: 'x'.repeat(5_000) } } }
    expect(lazyEvent(toStored(long, { requestId: 'req-1', keyHash: undefined }))).toBeUndefined()
  })
})
