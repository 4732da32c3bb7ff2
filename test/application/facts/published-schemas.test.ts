import { noLimit } from '../../support/no-limit.js'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { systemClock, uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import { createEntityUseCase } from '../../../src/application/recording/create-entity.js'
import { recordEventUseCase } from '../../../src/application/recording/record-event.js'
import { updateEntityUseCase } from '../../../src/application/recording/update-entity.js'
import { entityStream } from '../../../src/domain/entity.js'
import type { Json, JsonObject } from '../../../src/domain/json.js'
import { nameViolations } from '../../../src/domain/name.js'
import { maxAheadMs } from '../../../src/domain/instant.js'
import { propertyViolations, unsetViolations } from '../../../src/domain/properties.js'
import { FactSchemas } from '../../support/fact-schemas.js'
import { quickOrThorough } from '../../support/thoroughness.js'
import { codePoint } from '../../support/code-point.js'

const schemas = new FactSchemas()
const at = '2026-11-20T09:30:00.000Z'
const created = { externalId: 'ada', properties: {}, createdAt: at }
const changed = { externalId: 'ada', set: {}, unset: [], changedAt: at }
const recordedThen = { entityExternalId: 'ada', name: 'login', properties: {}, recordedAt: at }
const recorded = { ...recordedThen, occurredAt: '2026-11-19T18:05:00.000Z' }

const keepsName = (name: string) =>
  schemas.dataFaults('EntityCreated', 1, { ...created, externalId: name }).length === 0
const keepsUnset = (unset: readonly unknown[]) =>
  schemas.dataFaults('EntityPropertiesChanged', 1, { ...changed, unset }).length === 0
const keepsProperties = (properties: unknown) =>
  schemas.dataFaults('EventRecorded', 2, { ...recorded, properties }).length === 0
const keepsSet = (set: unknown) =>
  schemas.dataFaults('EntityPropertiesChanged', 1, { ...changed, set }).length === 0

/** Texts at and beyond the limits of the rules: white space, control characters, dots, all lengths. */
const roughText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 2 }),
  fc.string({ unit: codePoint, maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('.', ' ', '\u00a0', '\u0085', 'a', '🦊'), maxLength: 4 }),
  fc
    .tuple(fc.constantFrom('x', '🦊'), fc.integer({ min: 253, max: 258 }))
    .map(([one, times]) => one.repeat(times)),
)
const roughNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 2 ** 53 - 1, 2 ** 53, -(2 ** 53 - 1), -(2 ** 53), 1e300),
)
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.string({ unit: codePoint, maxLength: 5 }),
  roughNumber,
)
const key = roughText.filter((text) => text !== '__proto__')

function value(levels: number): fc.Arbitrary<Json> {
  if (levels === 0) return scalar
  const inner = value(levels - 1)
  return fc.oneof(
    scalar,
    fc.array(inner, { maxLength: 2 }),
    fc.dictionary(key, inner, { maxKeys: 2, noNullPrototype: true }),
  )
}
/** Nested containers, up to and beyond the permitted depth. */
const deep = fc
  .array(fc.boolean(), { minLength: 5, maxLength: 9 })
  .map((shape) => shape.reduce<Json>((inner, isArray) => (isArray ? [inner] : { in: inner }), {}))
const wide = fc
  .integer({ min: 510, max: 514 })
  .map((count): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [String(n), n])),
  )
const roughProperties: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.dictionary(key, value(3), { maxKeys: 4, noNullPrototype: true }),
  fc.record({ deep }),
  fc.record({ wide }),
  wide,
)

const manyNames = fc
  .integer({ min: 511, max: 514 })
  .map((count) => Array.from({ length: count }, (_, n) => String(n)))
const roughNames: fc.Arbitrary<readonly unknown[]> = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.oneof(roughText, roughText, scalar), { maxLength: 4 }) },
  { weight: 1, arbitrary: manyNames },
)

describe('the published schemas agree with the rules of the domain', () => {
  test('for every character of the basic plane at both ends of a name and inside it', () => {
    const disagreed: string[] = []
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      if (unit >= 0xd800 && unit <= 0xdfff) continue
      const one = String.fromCharCode(unit)
      for (const name of [`a${one}`, `${one}a`, ...(unit < 0x3100 ? [`a${one}a`] : [])]) {
        if (keepsName(name) !== (nameViolations(name).length === 0)) disagreed.push(name)
      }
    }
    expect(disagreed).toEqual([])
  })

  test('for names', () => {
    fc.assert(
      fc.property(roughText, (name) => {
        const kept = nameViolations(name).length === 0
        const entityExternalId = { ...recorded, entityExternalId: name }
        expect(keepsName(name)).toBe(kept)
        for (const data of [entityExternalId, { ...recorded, name }]) {
          expect(schemas.dataFaults('EventRecorded', 2, data).length === 0).toBe(kept)
        }
      }),
      { numRuns: quickOrThorough({ quick: 40, thorough: 300 }) },
    )
  })

  test('for properties', () => {
    const numRuns = quickOrThorough({ quick: 40, thorough: 400 })
    const seen = { kept: 0, refused: 0 }
    fc.assert(
      fc.property(roughProperties, (properties) => {
        const kept = propertyViolations(properties).length === 0
        seen[kept ? 'kept' : 'refused'] += 1
        expect([keepsProperties(properties), keepsSet(properties)]).toEqual([kept, kept])
      }),
      { numRuns },
    )
    expect(Math.min(seen.kept, seen.refused)).toBeGreaterThan(numRuns / 20)
  })

  test('for names to unset', () => {
    const numRuns = quickOrThorough({ quick: 40, thorough: 400 })
    const seen = { kept: 0, refused: 0 }
    fc.assert(
      fc.property(roughNames, (names) => {
        const kept = unsetViolations(names).length === 0
        seen[kept ? 'kept' : 'refused'] += 1
        expect(keepsUnset(names)).toBe(kept)
      }),
      { numRuns },
    )
    expect(Math.min(seen.kept, seen.refused)).toBeGreaterThan(numRuns / 20)
  })
})

describe('every fact that the service writes', () => {
  const store = new MemoryEventStore()
  const createEntity = createEntityUseCase(store, systemClock, uuidGenerator)
  const updateEntity = updateEntityUseCase(store, systemClock, uuidGenerator, noLimit)
  const recordEvent = recordEventUseCase(store, systemClock, uuidGenerator)
  const name = roughText.filter((text) => nameViolations(text).length === 0)
  const properties = roughProperties.filter((given) => propertyViolations(given).length === 0)
  const unset = roughNames.filter(
    (given): given is readonly string[] => unsetViolations(given).length === 0,
  )
  const [min, max] = [new Date('1900-01-01T00:00:00.000Z'), new Date(Date.now() + maxAheadMs)]
  const time = fc.option(fc.date({ min, max, noInvalidDate: true }), { nil: undefined })
  const context = fc.record({
    requestId: fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
    idempotencyKey: fc.option(fc.stringMatching(/^[!-~]{1,255}$/), { nil: undefined }),
  })
  let made = 0

  test('is accepted by the schemas of its type and version', async () => {
    await fc.assert(
      fc.asyncProperty(
        name,
        properties,
        time,
        unset,
        context,
        async (text, given, occurredAt, names, asked) => {
          const externalId = `${String((made += 1))}${text}`.slice(0, 100).trim()
          fc.pre(nameViolations(externalId).length === 0)
          await createEntity({ externalId, properties: given, ...asked })
          const event = { entityExternalId: externalId, name: text, properties: given, occurredAt }
          await recordEvent({ ...event, ...asked })
          const update = { set: given, unset: names, upsert: true, ...asked }
          await updateEntity({ externalId, ...update, upsert: false })
          await updateEntity({ externalId: `${externalId}-new`, ...update })
          const streams = [externalId, `${externalId}-new`].map(entityStream)
          const facts = streams.flatMap((stream) => store.read(stream))
          expect(facts.map((fact) => [fact.type, schemas.faultsOf(fact)])).toEqual([
            ['EntityCreated', []],
            ['EventRecorded', []],
            ['EntityPropertiesChanged', []],
            ['EntityCreated', []],
          ])
        },
      ),
      { numRuns: quickOrThorough({ quick: 25, thorough: 150 }) },
    )
  })
})
