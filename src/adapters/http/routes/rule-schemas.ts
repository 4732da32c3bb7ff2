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
  .meta({ description: 'RFC 3339 with an offset, or a day, which means midnight UTC.' })
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
    includes: scalar
      .exactOptional()
      .meta({ description: 'The value is a list that contains this item.' }),
    exists: z.boolean().exactOptional(),
    not: z
      .lazy(() => valueTest)
      .exactOptional()
      .meta({ description: 'Passes exactly when the nested test as a whole fails.' }),
  })
  .meta({
    id: 'ValueTest',
    description: 'A test of a value: all members must pass.',
    minProperties: 1,
  })

const boundary: z.ZodType<Boundary> = z
  .union([time, z.strictObject({ ago: duration }), z.strictObject({ ahead: duration })])
  .meta({ id: 'Boundary', description: 'A fixed time, or a time relative to log time.' })

const instantTest: z.ZodType<InstantTest> = z
  .union([z.strictObject({ before: boundary }), z.strictObject({ after: boundary })])
  .meta({ id: 'InstantTest', description: 'A strict comparison of a time.' })

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
  .meta({ id: 'Count', description: 'The required number of events.' })

const counted = {
  event: eventName,
  where: where.exactOptional(),
  within: duration
    .exactOptional()
    .meta({ description: 'Cannot be combined with after and before.' }),
  after: time.exactOptional().meta({ description: 'Only events at or after this instant.' }),
  before: time.exactOptional(),
  count: eventCount.exactOptional().meta({ description: 'Default: at least one.' }),
}
const last = { event: eventName, where: where.exactOptional(), last: where }
const tested = {
  property: pointer,
  is: z.union([valueTest, instantTest]),
  for: duration.exactOptional().meta({
    description:
      'The duration for which the test has held without a break. Only with a test of a value.',
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
      .meta({
        description: 'A share of all entities in percent. The selected entities never change.',
      }),
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
    description: 'The condition that an entity must meet. At most 64 rule objects in 8 levels.',
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
        description:
          'Present if the rule compares the value with a time and the value is not a time.',
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
