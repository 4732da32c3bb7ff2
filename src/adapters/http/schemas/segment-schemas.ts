import { z } from 'zod'
import type { SegmentInfo } from '../../../application/segments/ports/segment-queries.js'
import type { JsonObject } from '../../../domain/json.js'
import { broken, type RuleViolation } from '../../../domain/rule-violation.js'
import { parseRule } from '../../../domain/segments/rule/parse-rule.js'
import {
  isSegmentKey,
  segmentKeyFormat,
  segmentKeyMessage,
} from '../../../domain/segments/segment-facts.js'
import { header } from './components.js'
import { ruleForm } from './rule-schemas.js'
import { count, keeping, name, report, segmentName, timestamp, typed } from './common.js'

export function segmentKey(description: string) {
  return z
    .string()
    .check(keeping(keyViolations))
    .meta({ description, pattern: segmentKeyFormat.source, not: { const: 'evaluate' } })
}

function keyViolations(text: string): readonly RuleViolation[] {
  if (isSegmentKey(text)) return []
  return [broken(text === '' ? 'empty' : 'bad_characters', segmentKeyMessage)]
}

const segmentParameters = z.strictObject({ key: segmentKey('The key of the segment.') })

export function segmentPath(template: `/segments/{key}${string}`) {
  return { template, schema: segmentParameters }
}

export const memberParameters = segmentParameters.extend({
  external_id: name('The external_id of the entity.'),
})

export function memberPath(template: string) {
  return { template, schema: memberParameters }
}

/**
 * Describes a sent rule in the OpenAPI document by the schema of returned rules. The domain checks
 * sent rules.
 */
const describedAsRule = (description: string) => ({
  override: { $ref: '#/components/schemas/Rule', description },
})

export const segmentHeaders = { 'Log-Time': header('LogTime') }

export const rule = z
  .custom<JsonObject>()
  .check(keeping<JsonObject>(ruleViolations))
  .optional()
  .meta(
    describedAsRule(
      'The rule. It is required for the kind rule, and not allowed for the kind hand.',
    ),
  )

function ruleViolations(value: unknown): readonly RuleViolation[] {
  const parsed = parseRule(value)
  return 'violations' in parsed ? parsed.violations : []
}

export const evaluatedRule = typed<unknown>((value) => value !== undefined, 'a rule')
  .meta(describedAsRule('The condition that an entity must meet.'))
  .transform((value, context) => {
    const parsed = parseRule(value)
    if ('rule' in parsed) return parsed.rule
    report(context, parsed.violations)
    return z.NEVER
  })

export const version = z.int().min(1).meta({ description: 'The version of the segment.' })

/**
 * The schema of a rule in a reply. Its type is wide, because a stored fact contains its rule as a
 * JSON object.
 */
const answeredRule: z.ZodType<object> = ruleForm

export const definition = {
  key: segmentName,
  version: version.meta({ description: 'Each change makes a new version: 1, 2, 3, …' }),
  title: z.string().meta({ description: 'The name of the segment, for people.' }),
  kind: z.enum(['rule', 'hand']).meta({
    description:
      'rule: the rule decides who is a member. hand: members are added and removed by hand.',
  }),
  rule: answeredRule
    .nullable()
    .meta({ description: 'The rule. Null for a segment of the kind hand.' }),
}

export const digest = z.string().meta({
  description:
    'A digest that is equal for equal sets of members. It is the sum, modulo 2 to the 64th, of ' +
    "the first 8 bytes (big-endian) of the SHA-256 of each member's entity_id.",
  pattern: '^[0-9a-f]{16}$',
})

export const segment = z
  .strictObject({
    ...definition,
    status: z.enum(['building', 'live', 'diverged']).meta({
      description:
        'building: the first version or a newer version is being built. diverged: the recorded ' +
        'changes differ from the changes that follow from the facts.',
    }),
    serving_version: version.nullable().meta({
      description: 'The version whose members are served. Null if no version is served yet.',
    }),
    progress: z.number().min(0).max(1).nullable().meta({
      description: 'The progress of the build, from 0 to 1. Null if no version is being built.',
    }),
    members: count
      .nullable()
      .meta({ description: 'The number of members. Null if no version is served yet.' }),
    digest: digest.nullable().meta({
      description:
        'The digest of the members, equal for equal sets of members. Null if no version is served ' +
        'yet.',
    }),
    defined_at: timestamp,
  })
  .meta({ id: 'Segment' })

export const segmentReply = z
  .strictObject({ status: z.literal('success'), data: segment })
  .meta({ id: 'SegmentReply' })

type SegmentData = z.infer<typeof segment>

/**
 * Returns the reply that describes a segment. `rule` has a wider type than a rule, because it may
 * come from a stored fact.
 */
export function segmentData(
  info: Omit<SegmentInfo, 'rule'> & { readonly rule: object | undefined },
): SegmentData {
  return {
    key: info.key,
    version: info.version,
    title: info.title,
    kind: info.kind,
    rule: info.rule ?? null,
    status: info.status,
    serving_version: info.servingVersion ?? null,
    progress: info.progress ?? null,
    members: info.members ?? null,
    digest: info.digest ?? null,
    defined_at: info.definedAt,
  }
}
