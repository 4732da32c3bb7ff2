import fc from 'fast-check'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import { changeProperties, createEntity, entityStream } from '../../src/domain/entity.js'
import { recordEvent } from '../../src/domain/event.js'

const externalIds = ['ada', 'Ada', '顧客 7', 'a/b?c=%20', '🙂', '__proto__x']
const eventNames = ['buy', 'login', 'Buy', 'toString', '購入']
const propertyNames = ['plan', 'age', 'constructor', '7', 'ünï']

/** Milliseconds of time that histories are spread over: many facts share an instant. */
const spread = 40
const beginning = Date.UTC(2026, 0)

interface Step {
  readonly what: 'change' | 'event'
  readonly entity: number
  readonly at: number
  /** How long before it was recorded an event happened, where that is said. */
  readonly before: number | undefined
  readonly name: string
  readonly set: Record<string, string | number | null>
  readonly unset: readonly string[]
}

const set = fc.dictionary(
  fc.constantFrom(...propertyNames),
  fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('free', 'paid', ''), fc.constant(null)),
  { maxKeys: 3, noNullPrototype: true },
)

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom('change' as const, 'event' as const, 'event' as const),
    entity: fc.nat({ max: externalIds.length - 1 }),
    at: fc.nat({ max: spread }),
    before: fc.option(fc.integer({ min: -spread, max: 3 * spread }), { nil: undefined }),
    name: fc.constantFrom(...eventNames),
    set,
    unset: fc.uniqueArray(fc.constantFrom(...propertyNames), { maxLength: 2 }),
  }),
  { maxLength: 60 },
)

/**
 * Facts of a few entities in the order of their positions, which have gaps. The clocks of those who
 * record them differ: recorded later does not mean a later time.
 */
export const histories: fc.Arbitrary<readonly LoggedFact[]> = steps.map((given) => {
  const facts: LoggedFact[] = []
  const created = new Set<string>()
  let position = 0
  const add = (externalId: string, fact: Fact) => {
    position += 1 + (facts.length % 3)
    const context = { requestId: `request-${String(position)}`, keyHash: undefined }
    facts.push({ ...toStored(fact, context), stream: entityStream(externalId), position })
  }
  for (const { what, entity, at, before, name, set: properties, unset } of given) {
    const externalId = externalIds[entity] ?? ''
    const now = new Date(beginning + at)
    const factId = idOf(facts.length + 1)
    if (!created.has(externalId)) {
      created.add(externalId)
      add(externalId, createEntity({ factId, externalId, properties, now }).facts[0])
    } else if (what === 'change') {
      const change = { factId, externalId, set: properties, unset, now }
      add(externalId, changeProperties(change).facts[0])
    } else {
      const occurredAt = before === undefined ? undefined : new Date(now.getTime() - before)
      const event = { factId, entityExternalId: externalId, name, properties, occurredAt, now }
      add(externalId, recordEvent(event).facts[0])
    }
  }
  return facts
})

function idOf(n: number): string {
  return `01a1ff14-0000-7000-8000-${String(n).padStart(12, '0')}`
}

/** Instants around those of a history, in milliseconds since 1970. */
export const instants: fc.Arbitrary<number> = fc
  .integer({ min: -2 * spread, max: 2 * spread })
  .map((at) => beginning + at)

export const someExternalId = fc.constantFrom(...externalIds, 'nobody')
export const someEventName = fc.constantFrom(...eventNames)
