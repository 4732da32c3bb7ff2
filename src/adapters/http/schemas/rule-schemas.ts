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
import { count, timestamp } from './common.js'

/**
 * Schemas of rules and their explanations, for the OpenAPI document. `parseRule` checks the rules
 * that callers send. It also enforces limits that a schema cannot express, and its messages name
 * each mistake.
 */

const scalar = z
  .union([z.null(), z.boolean(), z.number(), z.string()])
  .meta({ id: 'Scalar', description: 'A null, a boolean, a number or a text.' })
const pointer = z.string().meta({
  description: 'A JSON pointer, such as /plan or /address/city.',
  pattern: '^(/([^~/]|~[01])*)+$',
})
const duration = z.string().meta({
  description: 'A number of minutes, hours, days or weeks, such as 30m, 12h, 7d or 2w.',
  pattern: '^[1-9][0-9]{0,3}[mhdw]$',
})
const time = z
  .string()
  .meta({ description: 'RFC 3339 with an offset, or a day, which means midnight UTC.' })
const segmentKey = z.string().meta({
  description: 'The key of a segment. The rule holds for members of this segment.',
  pattern: segmentKeyFormat.source,
})

const valueTest: z.ZodType<ValueTest> = z
  .strictObject({
    eq: scalar.exactOptional().meta({ description: 'The value equals this value.' }),
    in: z
      .array(scalar)
      .min(1)
      .max(100)
      .exactOptional()
      .meta({ description: 'The value equals one of these values.' }),
    gt: z.number().exactOptional().meta({ description: 'The value is above this number.' }),
    gte: z.number().exactOptional().meta({ description: 'The value is this number or higher.' }),
    lt: z.number().exactOptional().meta({ description: 'The value is below this number.' }),
    lte: z.number().exactOptional().meta({ description: 'The value is this number or lower.' }),
    starts_with: z
      .string()
      .exactOptional()
      .meta({ description: 'The value is a text that begins with this text.' }),
    contains: z
      .string()
      .exactOptional()
      .meta({ description: 'The value is a text that contains this text.' }),
    includes: scalar
      .exactOptional()
      .meta({ description: 'The value is a list that contains this item.' }),
    exists: z
      .boolean()
      .exactOptional()
      .meta({ description: 'true: the property has a value. false: the property has no value.' }),
    not: z
      .lazy(() => valueTest)
      .exactOptional()
      .meta({ description: 'Passes if and only if the nested test as a whole fails.' }),
  })
  .meta({
    id: 'ValueTest',
    description:
      'A test of a value. All members must pass. A missing value fails every test except ' +
      '`exists: false`, and a `not` whose nested test fails.',
    minProperties: 1,
  })

const boundary: z.ZodType<Boundary> = z
  .union([time, z.strictObject({ ago: duration }), z.strictObject({ ahead: duration })])
  .meta({ id: 'Boundary', description: 'A fixed time, or a time relative to log time.' })

const instantTest: z.ZodType<InstantTest> = z
  .union([
    z.strictObject({ before: boundary.meta({ description: 'The time is before this boundary.' }) }),
    z.strictObject({ after: boundary.meta({ description: 'The time is after this boundary.' }) }),
  ])
  .meta({ id: 'InstantTest', description: 'A strict comparison of a time with a boundary.' })

const where: z.ZodType<Where> = z.record(pointer, valueTest).meta({
  id: 'Where',
  description: 'Tests of the properties of an event, by JSON pointer. All tests must pass.',
})

const eventName: z.ZodType<EventName> = z
  .union([
    z.string().meta({ minLength: 1, maxLength: maxNameLength }),
    z.strictObject({
      starts_with: z.string().min(1).meta({ description: 'The beginning of the name.' }),
    }),
  ])
  .meta({ id: 'EventName', description: 'The name of the events, or the beginning of the name.' })

const amount = z.int().min(0).max(100)
const eventCount: z.ZodType<Count> = z
  .union([
    z.strictObject({ gte: amount.meta({ description: 'The minimum number of events.' }) }),
    z.strictObject({ lte: amount.meta({ description: 'The maximum number of events.' }) }),
    z.strictObject({ eq: amount.meta({ description: 'The exact number of events.' }) }),
  ])
  .meta({ id: 'Count', description: 'The required number of events.' })

const counted = {
  event: eventName,
  where: where.exactOptional().meta({ description: 'Only events that pass these tests count.' }),
  within: duration.exactOptional().meta({
    description: 'A window that ends now. Cannot be combined with after and before.',
  }),
  after: time.exactOptional().meta({ description: 'Only events at or after this instant count.' }),
  before: time.exactOptional(),
  count: eventCount.exactOptional().meta({ description: 'Default: at least one event.' }),
}
const last = {
  event: eventName,
  where: counted.where,
  last: where.meta({ description: 'Tests of the newest event that passes `where`.' }),
}
const tested = {
  property: pointer,
  is: z.union([valueTest, instantTest]).meta({ description: 'The test of the value.' }),
  for: duration.exactOptional().meta({
    description:
      'The duration for which the test must have held without a break. Only allowed with a test ' +
      'of a value.',
  }),
}
/** Rules that contain no other rules, and whose explanation has no details. */
const plainRules = [
  { everyone: z.literal(true).meta({ description: 'Holds for every entity.' }) },
  { segment: segmentKey },
  { created: instantTest.meta({ description: 'A test of the time when the entity was created.' }) },
  {
    bucket: z
      .strictObject({
        salt: z.string().exactOptional().meta({
          description:
            'A text that selects the entities of the share. Another salt selects other entities.',
        }),
        below: z.number().min(0).max(100).meta({ description: 'The share in percent, 0 to 100.' }),
      })
      .meta({
        description:
          'A share of all entities. For one salt and share, the selected entities never change.',
      }),
  },
] as const

export const countRule: z.ZodType<CountRule> = z.strictObject(counted).meta({
  id: 'CountRule',
  description:
    'A condition on the number of events: within a window that ends now, or between fixed times.',
})

const parts = (description: string) =>
  z
    .array(z.lazy(() => ruleForm))
    .min(1)
    .max(64)
    .meta({ description })
const allHold = 'All of these rules hold.'
const anyHolds = 'At least one of these rules holds.'
const holdsNot = 'This rule does not hold.'

export const ruleForm: z.ZodType<Rule> = z
  .union([
    z.strictObject({ all: parts(allHold) }),
    z.strictObject({ any: parts(anyHolds) }),
    z.strictObject({ not: z.lazy(() => ruleForm).meta({ description: holdsNot }) }),
    z
      .strictObject(tested)
      .meta({ id: 'PropertyRule', description: 'A condition on a property of the entity.' }),
    countRule,
    z.strictObject(last).meta({
      id: 'LastRule',
      description: 'The newest event that passes `where` also passes `last`.',
    }),
    z.strictObject(plainRules[0]),
    z.strictObject(plainRules[1]),
    z.strictObject(plainRules[2]),
    z
      .strictObject(plainRules[3])
      .meta({ id: 'BucketRule', description: 'A fixed pseudo-random share of all entities.' }),
  ])
  .meta({
    id: 'Rule',
    description:
      'The condition that an entity must meet. A rule has at most 64 rule objects in 8 levels. ' +
      'The names of its members determine the kind of a rule object: there is no discriminator.',
    examples: [{ property: '/plan', is: { eq: 'paid' } }],
  })

const found = {
  holds: z.boolean().meta({ description: 'Whether this part holds.' }),
  until: timestamp.nullable().meta({
    description:
      'The first instant at which `holds` changes if no more facts are recorded. Null if it ' +
      'never changes.',
  }),
}
const evidence = z
  .array(
    z
      .strictObject({
        fact_id: z.string().meta({ description: 'The id of the event.' }),
        occurred_at: timestamp.meta({ description: 'When the event happened.' }),
      })
      .meta({ id: 'Evidence' }),
  )
  .meta({ description: 'The newest events that the rule is about, at most 100.' })
const explanations = (description: string) => z.array(z.lazy(() => why)).meta({ description })

export const why: z.ZodType<Why> = z
  .union([
    z.strictObject({ all: explanations(allHold), ...found }),
    z.strictObject({ any: explanations(anyHolds), ...found }),
    z.strictObject({ not: z.lazy(() => why).meta({ description: holdsNot }), ...found }),
    z
      .strictObject({
        ...tested,
        value: z.unknown().exactOptional().meta({ description: 'The current value, if any.' }),
        not_a_time: z.literal(true).exactOptional().meta({
          description:
            'Present if the rule compares the value with a time and the value is not a time.',
        }),
        ...found,
      })
      .meta({ id: 'WhyProperty' }),
    z
      .strictObject({
        ...counted,
        counted: count.meta({ description: 'The number of events that count.' }),
        needed: eventCount,
        evidence,
        ...found,
      })
      .meta({ id: 'WhyCount' }),
    z.strictObject({ ...last, evidence, ...found }).meta({ id: 'WhyLast' }),
    z.strictObject({ ...plainRules[0], ...found }),
    z.strictObject({ ...plainRules[1], ...found }),
    z.strictObject({ ...plainRules[2], ...found }),
    z.strictObject({ ...plainRules[3], ...found }),
    z.strictObject({
      by_hand: z.literal(true).meta({ description: 'Members are added and removed by hand.' }),
      ...found,
    }),
  ])
  .meta({
    id: 'Why',
    description:
      'The explanation of a rule, part by part: whether the part holds, until when, and the ' +
      'events that are evidence of it. The names of its members determine the kind of a part: ' +
      'there is no discriminator.',
  })
