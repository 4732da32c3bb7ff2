import { z } from 'zod'
import { maxNameLength } from '../../../domain/name.js'
import type { Why } from '../../../domain/segments/membership/explain.js'
import type {
  Boundary,
  Count,
  CountRule,
  EventName,
  InstantTest,
  Rule,
  ValueTest,
  Where,
} from '../../../domain/segments/rule/rule.js'
import { segmentKeyFormat } from '../../../domain/segments/segment-facts.js'
import { count, timestamp } from './schemas.js'

/**
 * Schemas of rules and their explanations, for the OpenAPI document. Sent rules are checked by `parseRule`, which
 * also enforces limits that a schema cannot express, and names each mistake.
 */

const scalar = z.union([z.null(), z.boolean(), z.number(), z.string()])
const pointer = z.string().meta({
  description: 'A JSON pointer, such as /plan or /address/city.',
  pattern: '^(/([^~/]|~[01])*)+$',
})
const duration = z.string().meta({
  description: 'Minutes, hours, days or weeks, such as 30m, 12h, 7d, 2w.',
  pattern: '^[1-9][0-9]{0,3}[mhdw]$',
})
const time = z
  .string()
  .meta({ description: 'RFC 3339 with an offset, or a day: its midnight in UTC.' })
const segmentKey = z.string().meta({ pattern: segmentKeyFormat.source })

const valueTest: z.ZodType<ValueTest> = z
  .strictObject({
    eq: scalar.exactOptional(),
    in: z.array(scalar).min(1).max(100).exactOptional(),
    gt: z.number().exactOptional(),
    gte: z.number().exactOptional(),
    lt: z.number().exactOptional(),
    lte: z.number().exactOptional(),
    starts_with: z.string().exactOptional(),
    contains: z.string().exactOptional(),
    includes: scalar.exactOptional().meta({ description: 'The value is a list that has this.' }),
    exists: z.boolean().exactOptional(),
    not: z
      .lazy(() => valueTest)
      .exactOptional()
      .meta({ description: 'Passes just where this test, all of it, does not.' }),
  })
  .meta({
    id: 'ValueTest',
    description: 'A test of a value: all members must pass.',
    minProperties: 1,
  })

const boundary: z.ZodType<Boundary> = z
  .union([time, z.strictObject({ ago: duration }), z.strictObject({ ahead: duration })])
  .meta({ id: 'Boundary', description: 'A time, or one that moves with log time.' })

const instantTest: z.ZodType<InstantTest> = z
  .union([z.strictObject({ before: boundary }), z.strictObject({ after: boundary })])
  .meta({ id: 'InstantTest', description: 'A test of a time. Strict.' })

const where: z.ZodType<Where> = z.record(pointer, valueTest).meta({
  id: 'Where',
  description: 'Tests of the properties of an event, by JSON pointer: all must pass.',
})

const eventName: z.ZodType<EventName> = z.union([
  z.string().meta({ minLength: 1, maxLength: maxNameLength }),
  z.strictObject({ starts_with: z.string().min(1) }),
])

const amount = z.int().min(0).max(100)
const eventCount: z.ZodType<Count> = z
  .union([
    z.strictObject({ gte: amount }),
    z.strictObject({ lte: amount }),
    z.strictObject({ eq: amount }),
  ])
  .meta({ id: 'Count', description: 'How many events there are to be.' })

const counted = {
  event: eventName,
  where: where.exactOptional(),
  within: duration.exactOptional().meta({ description: 'Not beside after and before.' }),
  after: time.exactOptional().meta({ description: 'From this instant on.' }),
  before: time.exactOptional(),
  count: eventCount.exactOptional().meta({ description: 'At least one where nothing is said.' }),
}
const last = { event: eventName, where: where.exactOptional(), last: where }
const tested = {
  property: pointer,
  is: z.union([valueTest, instantTest]),
  for: duration.exactOptional().meta({
    description: 'How long the test has held without a break; only with a test of a value.',
  }),
}
/** Rules that contain no other rules, and whose explanation has no details. */
const plainRules = [
  { everyone: z.literal(true) },
  { segment: segmentKey },
  { created: instantTest },
  {
    bucket: z
      .strictObject({ salt: z.string().exactOptional(), below: z.number().min(0).max(100) })
      .meta({ description: 'A share of all entities, in percent: always the same entities.' }),
  },
] as const

export const countRule: z.ZodType<CountRule> = z.strictObject(counted).meta({ id: 'CountRule' })

const parts = z
  .array(z.lazy(() => ruleForm))
  .min(1)
  .max(64)

export const ruleForm: z.ZodType<Rule> = z
  .union([
    z.strictObject({ all: parts }),
    z.strictObject({ any: parts }),
    z.strictObject({ not: z.lazy(() => ruleForm) }),
    z.strictObject(tested),
    countRule,
    z.strictObject(last),
    z.strictObject(plainRules[0]),
    z.strictObject(plainRules[1]),
    z.strictObject(plainRules[2]),
    z.strictObject(plainRules[3]),
  ])
  .meta({
    id: 'Rule',
    description: 'What must hold of an entity. At most 64 rule objects, 8 levels deep.',
    examples: [{ property: '/plan', is: { eq: 'paid' } }],
  })

const found = {
  holds: z.boolean(),
  until: timestamp.nullable().meta({
    description:
      'The first instant at which this changes if no more facts are recorded; null: never.',
  }),
}
const evidence = z.array(z.strictObject({ fact_id: z.string(), occurred_at: timestamp })).meta({
  description: 'The newest events that the rule is about.',
})
const explanations = z.array(z.lazy(() => why))

export const why: z.ZodType<Why> = z
  .union([
    z.strictObject({ all: explanations, ...found }),
    z.strictObject({ any: explanations, ...found }),
    z.strictObject({ not: z.lazy(() => why), ...found }),
    z.strictObject({
      ...tested,
      value: z.unknown().exactOptional().meta({ description: 'The value, if there is one.' }),
      not_a_time: z.literal(true).exactOptional().meta({
        description: 'There when the value is to be before or after a time, and is none.',
      }),
      ...found,
    }),
    z.strictObject({ ...counted, counted: count, needed: eventCount, evidence, ...found }),
    z.strictObject({ ...last, evidence, ...found }),
    z.strictObject({ ...plainRules[0], ...found }),
    z.strictObject({ ...plainRules[1], ...found }),
    z.strictObject({ ...plainRules[2], ...found }),
    z.strictObject({ ...plainRules[3], ...found }),
    z.strictObject({ by_hand: z.literal(true), ...found }),
  ])
  .meta({
    id: 'Why',
    description:
      'The rule, part by part: whether the part holds, until when, and the events that are evidence of it.',
  })
