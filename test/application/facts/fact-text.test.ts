import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { readFact, toStored } from '../../../src/application/facts/fact-format.js'
import { dataText, eventTexts, requestIdOf } from '../../../src/application/facts/fact-text.js'
import { type StoredFact, UnreadableFact } from '../../../src/application/facts/stored-fact.js'
import type { EventRecorded } from '../../../src/domain/event.js'
import type { JsonObject } from '../../../src/domain/json.js'
import { quickOrThorough } from '../../support/thoroughness.js'
import { codePoint } from '../../support/code-point.js'

/** Texts, some of which look like members of the data. */
const texts = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom(
    '","properties":{',
    '"},"recordedAt":"2026-11-20T09:30:00.000Z"}',
    '","occurredAt":"2026-11-19T18:05:00.000Z',
    'a\\',
    '"',
    '\u2028 🦊',
  ),
)
const times = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(2e12) })
const values = fc.object({ key: texts, values: [texts, fc.integer(), fc.boolean()], maxDepth: 2 })

const events: fc.Arbitrary<EventRecorded> = fc
  .record({
    externalId: texts,
    name: texts,
    properties: values,
    recorded: times,
    occurred: fc.option(times, { nil: undefined }),
  })
  .map(({ externalId, name, properties, recorded, occurred }) => ({
    id: 'an event',
    type: 'EventRecorded',
    data: {
      entityExternalId: externalId,
      name,
      properties: JSON.parse(JSON.stringify(properties)) as JsonObject,
      recordedAt: recorded.toISOString(),
      ...(occurred && { occurredAt: occurred.toISOString() }),
    },
  }))

const context = { requestId: 'a-request', keyHash: undefined }

/** Returns the fact with the same data as another program might write it. */
function rewritten(stored: StoredFact, write: (data: object) => string): StoredFact {
  return { ...stored, data: write(JSON.parse(stored.data) as object) }
}

const writers: readonly (readonly [string, (data: object) => string])[] = [
  ['as this version writes it', (data) => JSON.stringify(data)],
  ['with its members in another order', (data) => JSON.stringify(reversed(data))],
  ['with white space', (data) => JSON.stringify(data, undefined, 1)],
]

function reversed(data: object): object {
  return Object.fromEntries(Object.entries(data).toReversed())
}

describe.each(writers)('the text of an event, %s', (_how, write) => {
  it('has the members of the event', () => {
    fc.assert(
      fc.property(events, (event) => {
        const { name, properties, recordedAt, entityExternalId } = event.data
        const stored = rewritten(toStored(event, context), write)
        const text = eventTexts(entityExternalId)(stored)
        expect({ ...text, properties: text.properties.value }).toEqual({
          id: 'an event',
          name,
          properties,
          recordedAt,
          occurredAt: event.data.occurredAt ?? event.data.recordedAt,
        })
        expect(dataText(stored).value).toEqual(event.data)
      }),
      { numRuns: quickOrThorough({ quick: 60, thorough: 300 }) },
    )
  })
})

describe('the text of an event of version 1', () => {
  it('has the members of the event', () => {
    const stored = {
      id: 'an event',
      type: 'EventRecorded',
      data: '{"entityExternalId":"ada","name":"buy","properties":{"a":1},"recordedAt":"2026-11-20T09:30:00.000Z"}',
      metadata: '{"schemaVersion":1,"$correlationId":"a-request"}',
    }
    const { properties, ...text } = eventTexts('ada')(stored)
    const recordedAt = '2026-11-20T09:30:00.000Z'
    expect(text).toEqual({ id: 'an event', name: 'buy', recordedAt, occurredAt: recordedAt })
    expect(properties.value).toEqual({ a: 1 })
    expect(dataText(stored).value).toEqual(readFact(stored)?.data)
  })
})

describe('the metadata of a fact', () => {
  const stored = { id: 'a fact', type: 'EntityCreated', data: '{}', metadata: '{}' }

  it('has the request id, even if another program wrote the metadata', () => {
    const ids = [
      '{"schemaVersion":1,"$correlationId":"x"}',
      '{ "$correlationId":"x", "schemaVersion":1 }',
    ]
    expect(ids.map((metadata) => requestIdOf({ ...stored, metadata }))).toEqual(['x', 'x'])
  })

  it('is refused when it has another form', () => {
    expect(() => requestIdOf(stored)).toThrow(UnreadableFact)
    expect(() => dataText({ ...stored, type: 'Other' })).toThrow(UnreadableFact)
  })
})
