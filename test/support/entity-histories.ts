import fc from 'fast-check'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import { changeProperties, createEntity, entityStream } from '../../src/domain/entity.js'
import { recordEvent } from '../../src/domain/event.js'
import { addToSegment, removeFromSegment } from '../../src/domain/segments/hand-members.js'
import {
  clockStream,
  membersStream,
  segmentsStream,
} from '../../src/domain/segments/segment-facts.js'

const externalIds = ['ada', 'Ada', '顧客 7', 'a/b?c=%20', '🙂', '__proto__x']
const eventNames = ['buy', 'login', 'Buy', 'toString', '購入']
const propertyNames = ['plan', 'age', 'constructor', '7', 'ünï']

/** The time span of a history in milliseconds. It is short, so that many facts have the same time. */
const spread = 40
const beginning = Date.UTC(2026, 0)

const kinds = ['change', 'event', 'event', 'event', 'hand', 'segment'] as const

interface Step {
  readonly what: (typeof kinds)[number]
  readonly entity: number
  readonly at: number
  /**
   * The time between the fact and its recording, in milliseconds. Undefined: the caller gives no time.
   */
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
    what: fc.constantFrom(...kinds),
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
 * Generates facts of a few entities, mixed with facts of segments. Facts are in position order, and positions have
 * gaps. The clocks of the recording processes differ, so a later fact can have an earlier time.
 */
export const histories: fc.Arbitrary<readonly LoggedFact[]> = steps.map((given) => {
  const facts: LoggedFact[] = []
  const created = new Set<string>()
  let position = 0
  const addTo = (stream: string, fact: Fact) => {
    position += 1 + (facts.length % 3)
    const context = { requestId: `request-${String(position)}`, keyHash: undefined }
    facts.push({ ...toStored(fact, context), stream, position })
  }
  const add = (externalId: string, fact: Fact) => {
    addTo(entityStream(externalId), fact)
  }
  for (const { what, entity, at, before, name, set: properties, unset } of given) {
    const externalId = externalIds[entity] ?? ''
    const now = new Date(beginning + at)
    const occurredAt = before === undefined ? undefined : new Date(now.getTime() - before)
    const factId = idOf(facts.length + 1)
    if (what === 'segment') {
      const [stream, fact] = ofSegments(factId, now, facts.length)
      addTo(stream, fact)
    } else if (!created.has(externalId)) {
      created.add(externalId)
      add(externalId, createEntity({ factId, externalId, properties, occurredAt, now }).facts[0])
    } else if (what === 'change') {
      const change = { factId, externalId, set: properties, unset, occurredAt, now }
      add(externalId, changeProperties(change).facts[0])
    } else if (what === 'hand') {
      const decide = before === undefined ? addToSegment : removeFromSegment
      const move = { factId, externalId, segment: 'testers', reason: undefined, now }
      add(externalId, decide(move).facts[0])
    } else {
      const event = { factId, entityExternalId: externalId, name, properties, occurredAt, now }
      add(externalId, recordEvent(event).facts[0])
    }
  }
  return facts
})

/** Returns a fact in a stream that belongs to no entity. */
function ofSegments(id: string, now: Date, which: number): [stream: string, fact: Fact] {
  const at = now.toISOString()
  const version = { segment: 'testers', version: 1 }
  const facts: readonly [string, Fact][] = [
    [clockStream, { id, type: 'TimePassed', data: { now: at } }],
    [segmentsStream, { id, type: 'SegmentRetired', data: { ...version, retiredAt: at } }],
    [
      segmentsStream,
      {
        id,
        type: 'SegmentDefined',
        data: { ...version, title: 'x', kind: 'hand', evaluator: 1, definedAt: at },
      },
    ],
    [
      membersStream('testers'),
      {
        id,
        type: 'SegmentBuilt',
        data: {
          ...version,
          resolved: {},
          through: id,
          members: 0,
          digest: '0'.repeat(16),
          builtAt: at,
        },
      },
    ],
  ]
  return facts[which % facts.length] ?? [clockStream, { id, type: 'TimePassed', data: { now: at } }]
}

function idOf(n: number): string {
  return `01a1ff14-0000-7000-8000-${String(n).padStart(12, '0')}`
}

/** Generates instants around the facts of a history, in milliseconds since 1970. */
export const instants: fc.Arbitrary<number> = fc
  .integer({ min: -2 * spread, max: 2 * spread })
  .map((at) => beginning + at)

export const someExternalId = fc.constantFrom(...externalIds, 'nobody')
export const someEventName = fc.constantFrom(...eventNames)
