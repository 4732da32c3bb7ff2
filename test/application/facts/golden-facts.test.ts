import { noLimit } from '../../support/no-limit.js'
import { describe, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { createEntityUseCase } from '../../../src/application/recording/create-entity.js'
import { readFact } from '../../../src/application/facts/fact-format.js'
import type { FactName } from '../../../src/application/facts/fact-table.js'
import { recordEventUseCase } from '../../../src/application/recording/record-event.js'
import { updateEntityUseCase } from '../../../src/application/recording/update-entity.js'
import { voidEventUseCase } from '../../../src/application/recording/void-event.js'
import { entityStream } from '../../../src/domain/entity.js'
import { parseDayOrInstant, occurredAtViolations } from '../../../src/domain/instant.js'
import type { Json, JsonObject } from '../../../src/domain/json.js'
import { nameViolations } from '../../../src/domain/name.js'
import { propertyViolations, unsetViolations } from '../../../src/domain/properties.js'
import { FactSchemas } from '../../support/fact-schemas.js'
import { asGolden, fromGolden, goldenNames, goldenText } from '../../support/golden-facts.js'

interface Asked {
  readonly externalId?: string
  readonly name?: string
  readonly properties?: JsonObject
  /** The own time, as the caller sent it. */
  readonly occurredAt?: string
  readonly requestId?: string
  readonly idempotencyKey?: string
}

const everyKind: JsonObject = {
  null: null,
  true: true,
  false: false,
  integers: [0, -0, -1, 2 ** 53 - 1, -(2 ** 53 - 1)],
  fractions: [0.1, -12.5, 1e-7, 5e-324, 4503599627370495.5],
  texts: ['', ' ', 'x', '\u0000\b\t\n\f\r"\\/\u001f\u007f', '1', 'null'],
  array: [[], [[]], [{}], [null, 1, 'x', true]],
  object: { empty: {}, inner: { inner: [] } },
  2: 'keys that are whole numbers',
  1: 'come first',
  constructor: 'a key that objects inherit',
}

const unicode = {
  text: 'zoe\u0308 zo\u00eb \u4f60\u597d \u2028\u2029\ufeff\u200b \u05e9\u05dc\u05d5\u05dd/\ud83e\udd8a?#%',
  properties: {
    '\ud83e\udd8a': '\ud83d\udc69\u200d\ud83d\ude80',
    ' key ': '\u00e9 is not e\u0301',
    'a/b~c': '</script>',
  },
}

const fox = '\ud83e\udd8a'
let deepest: Json = 'level 8'
for (let level = 8; level > 1; level -= 1) deepest = level % 2 === 0 ? { in: deepest } : [deepest]
const longest: JsonObject = {
  deepest,
  [fox.repeat(255)]: 'a key of 255 characters',
  ...Object.fromEntries(Array.from({ length: 510 }, (_, at) => [`k${String(at)}`, at])),
}

/**
 * The request for each golden file of a version that is still written. Never change a released file. A new
 * case gets a new file, and so does each case of a new version. Files of older versions are only read.
 */
const creations: Readonly<Record<string, Asked>> = {
  'entity-created.v1.minimal': {},
  'entity-created.v1.every-kind-of-value': { properties: everyKind },
  'entity-created.v1.unicode': { externalId: unicode.text, properties: unicode.properties },
  'entity-created.v1.with-key': { properties: { plan: 'free' }, idempotencyKey: 'create-ada' },
  'entity-created.v1.at-the-limits': {
    externalId: fox.repeat(255),
    properties: longest,
    requestId: 'A-z_0.9'.padEnd(128, 'x'),
    idempotencyKey: '!~'.padEnd(255, 'k'),
  },
}
const creationsWithTime: Readonly<Record<string, Asked>> = {
  'entity-created.v2.minimal': { occurredAt: '2024-03-01' },
  'entity-created.v2.with-latest-time': {
    properties: { plan: 'free' },
    occurredAt: '2026-11-20T09:31:00.0079Z',
  },
  'entity-created.v2.at-the-limits': {
    externalId: fox.repeat(255),
    properties: longest,
    occurredAt: '1900-01-01T00:00:00Z',
    requestId: 'A-z_0.9'.padEnd(128, 'x'),
    idempotencyKey: '!~'.padEnd(255, 'k'),
  },
}
const changes: Readonly<Record<string, Asked & { readonly unset?: readonly string[] }>> = {
  'entity-properties-changed.v1.minimal': {},
  'entity-properties-changed.v1.every-kind-of-value': {
    properties: everyKind,
    unset: ['constructor of', ' ', '\u0000', 'trial_ends', 'trial_ends'],
  },
  'entity-properties-changed.v1.unicode': {
    externalId: unicode.text,
    properties: unicode.properties,
    unset: [unicode.text, fox],
  },
  'entity-properties-changed.v1.with-key': {
    properties: { plan: 'paid' },
    idempotencyKey: 'pay-ada',
  },
  'entity-properties-changed.v1.at-the-limits': {
    externalId: fox.repeat(255),
    properties: longest,
    unset: [fox.repeat(254), ...Array.from({ length: 511 }, (_, at) => `u${String(at)}`)],
    requestId: 'A-z_0.9'.padEnd(128, 'x'),
    idempotencyKey: '!~'.padEnd(255, 'k'),
  },
}
const changesWithTime: typeof changes = {
  'entity-properties-changed.v2.minimal': { occurredAt: '2026-11-19' },
  'entity-properties-changed.v2.with-latest-time': {
    properties: { plan: 'paid' },
    unset: ['trial_ends'],
    occurredAt: '2026-11-20T09:31:00.0079Z',
  },
  'entity-properties-changed.v2.at-the-limits': {
    externalId: fox.repeat(255),
    properties: longest,
    unset: [fox.repeat(254), ...Array.from({ length: 511 }, (_, at) => `u${String(at)}`)],
    occurredAt: '1900-01-01T00:00:00Z',
    requestId: 'A-z_0.9'.padEnd(128, 'x'),
    idempotencyKey: '!~'.padEnd(255, 'k'),
  },
}
const recordings: Readonly<Record<string, Asked>> = {
  'event-recorded.v2.minimal': {},
  'event-recorded.v2.every-kind-of-value': { properties: everyKind },
  'event-recorded.v2.unicode': {
    externalId: unicode.text,
    name: unicode.text,
    properties: unicode.properties,
  },
  'event-recorded.v2.with-key': { properties: { total: 12.5 }, idempotencyKey: 'order-1001' },
  'event-recorded.v2.with-time': { occurredAt: '2026-11-19T19:05:00.5+01:00' },
  'event-recorded.v2.with-latest-time': { occurredAt: '2026-11-20T09:31:00.0079Z' },
  'event-recorded.v2.at-the-limits': {
    externalId: fox.repeat(255),
    name: fox.repeat(255),
    properties: longest,
    occurredAt: '1900-01-01T00:00:00Z',
    requestId: 'A-z_0.9'.padEnd(128, 'x'),
    idempotencyKey: '!~'.padEnd(255, 'k'),
  },
}

/** The event of each void, and the reason. */
const voids: Readonly<Record<string, Asked & { readonly reason?: string }>> = {
  'event-voided.v1.minimal': {},
  'event-voided.v1.with-time-and-reason': {
    occurredAt: '2026-11-19T19:05:00.5+01:00',
    reason: 'charged\ntwice',
  },
  'event-voided.v1.at-the-limits': {
    externalId: fox.repeat(255),
    name: fox.repeat(255),
    occurredAt: '1900-01-01T00:00:00Z',
    reason: fox.repeat(255),
    requestId: 'A-z_0.9'.padEnd(128, 'x'),
  },
}

const clock = { now: () => new Date('2026-11-20T09:30:00.007Z') }
const ids = { next: () => '01a1ff14-cee6-75ec-8b91-d7fb3bbfa719' }

function occurredAtOf({ occurredAt: text }: Asked): Date | undefined {
  if (text === undefined) return undefined
  const instant = parseDayOrInstant(text)
  expect(occurredAtViolations(instant, clock.now())).toEqual([])
  return instant
}

const usual = { externalId: 'ada', name: 'login', properties: {}, requestId: 'req-1' }

interface Voided {
  readonly externalId: string
  readonly name: string
  readonly occurredAt: Date | undefined
  readonly reason: string | undefined
  readonly requestId: string
}

async function voidIn(store: MemoryEventStore, asked: Voided): Promise<void> {
  const { externalId, name, reason, requestId } = asked
  const eventId = '01a1ff14-cef4-759c-b22f-c801914d61ac'
  const [recordedAt, occurredAt] = [clock.now().toISOString(), asked.occurredAt?.toISOString()]
  const finder = () => Promise.resolve({ id: eventId, name, recordedAt, occurredAt })
  const request = { externalId, eventId, reason, requestId }
  await voidEventUseCase({ store, clock, ids, finder })(request)
}

/** Returns the fact that the service writes today for the request. */
async function written(
  asked: Asked & { readonly unset?: readonly string[]; readonly reason?: string },
  type: FactName,
): Promise<string> {
  const store = new MemoryEventStore()
  const { externalId, name, properties, requestId } = { ...usual, ...asked }
  for (const one of [externalId, name]) expect(nameViolations(one)).toEqual([])
  expect(propertyViolations(properties)).toEqual([])
  const { idempotencyKey } = asked
  const occurredAt = occurredAtOf(asked)
  const request = { externalId, properties, requestId, idempotencyKey, occurredAt }
  const event = { ...request, entityExternalId: externalId, name }
  await createEntityUseCase(store, clock, ids)(request)
  if (type === 'EventVoided') await voidIn(store, { ...event, reason: asked.reason })
  if (type === 'EventRecorded') await recordEventUseCase(store, clock, ids)(event)
  if (type === 'EntityPropertiesChanged') {
    const { unset = [] } = asked
    expect(unsetViolations(unset)).toEqual([])
    const change = { ...request, set: properties, unset, upsert: false }
    await updateEntityUseCase(store, clock, ids, noLimit)(change)
  }
  const stream = entityStream(externalId)
  const fact = store.read(stream).find((one) => one.type === type)
  if (fact === undefined) throw new Error('no fact')
  return asGolden(stream, fact)
}

describe('facts are written exactly as released', () => {
  test.each(Object.entries({ ...creations, ...creationsWithTime }))('%s', async (name, asked) => {
    expect(await written(asked, 'EntityCreated')).toBe(goldenText(name))
  })
  test.each(Object.entries({ ...changes, ...changesWithTime }))('%s', async (name, asked) => {
    expect(await written(asked, 'EntityPropertiesChanged')).toBe(goldenText(name))
  })
  test.each(Object.entries(recordings))('%s', async (name, asked) => {
    expect(await written(asked, 'EventRecorded')).toBe(goldenText(name))
  })
  test.each(Object.entries(voids))('%s', async (name, asked) => {
    expect(await written(asked, 'EventVoided')).toBe(goldenText(name))
  })
})

describe('a released fact', () => {
  const schemas = new FactSchemas()

  test.each(goldenNames())('can still be read: %s', (name) => {
    const fact = fromGolden(goldenText(name))
    const { id, type, data } = fact
    expect(readFact(fact)).toEqual({ id, type, data: JSON.parse(data) as unknown })
  })

  test.each(goldenNames())('is accepted by the published schemas: %s', (name) => {
    expect(schemas.faultsOf(fromGolden(goldenText(name)))).toEqual([])
  })
})
