import { z } from 'zod'
import type { EvaluatedEntity } from '../../../application/segments/ports/segment-queries.js'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import { parseInstant, pastInstantViolations } from '../../../domain/instant.js'
import { nameViolations } from '../../../domain/name.js'
import { broken, isEmpty, tooMany, type RuleViolation } from '../../../domain/rule-violation.js'
import { bodyReadRoute } from './declared-read.js'
import { membership, membershipData } from '../schemas/membership-schemas.js'
import { bodyBy, plainPath } from './route.js'
import { externalId, itemsOf, listOf, report, success } from '../schemas/common.js'
import { evaluatedRule, segmentHeaders } from '../schemas/segment-schemas.js'

const maxEntities = 100

const externalIds = listOf<string>(idsViolations).meta({
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: maxEntities,
  description: 'The external_ids of the entities.',
})

function idsViolations(ids: readonly unknown[]): readonly RuleViolation[] {
  if (ids.length === 0) return [isEmpty]
  if (ids.length > maxEntities) return [tooMany(maxEntities, 'ids')]
  return ids.flatMap((id, at) =>
    typeof id === 'string'
      ? nameViolations(id).map((violation) => ({ ...violation, path: [at] }))
      : [broken('wrong_type', 'must be a string', [at])],
  )
}

/** A schema for an instant that is not in the future, in milliseconds since 1970. */
function pastInstant(clock: Clock, description: string) {
  return z
    .string()
    .transform((text, context) => {
      const instant = parseInstant(text)
      report(context, violationsOf(instant, clock))
      return instant?.getTime()
    })
    .optional()
    .meta({ format: 'date-time', description })
}

function violationsOf(instant: Date | undefined, clock: Clock): readonly RuleViolation[] {
  if (instant !== undefined) return pastInstantViolations(instant, clock.now())
  return [broken('not_a_time', 'must be a date and time of RFC 3339 with an offset')]
}

function evaluationBy(clock: Clock) {
  return z
    .strictObject({
      rule: evaluatedRule,
      external_ids: externalIds,
      as_of: pastInstant(clock, 'Uses only facts that took effect by this time.'),
      known_at: pastInstant(clock, 'Uses only facts and definitions that were known at this time.'),
    })
    .meta({ id: 'Evaluation' })
}

const evaluated = z
  .strictObject({
    external_id: externalId,
    exists: z.boolean().meta({ description: 'Whether the entity exists.' }),
    ...membership,
    why: membership.why.nullable().meta({ description: 'Null if the entity does not exist.' }),
  })
  .meta({ id: 'EvaluatedEntity' })

const evaluationReply = success({
  items: itemsOf(evaluated, 'The results, in the order of the ids.'),
}).meta({ id: 'EvaluationReply' })

/** The reply for an entity that does not exist. */
const noMembership = { member: false, since: null, until: null, periods: [], why: null }

function itemOf(given: EvaluatedEntity): z.infer<typeof evaluated> {
  const { externalId: external_id, membership: found } = given
  if (found === undefined) return { external_id, exists: false, ...noMembership }
  return { external_id, exists: true, ...membershipData(found) }
}

/** `POST` route that evaluates a rule for some entities, with explanations. Stores nothing. */
export const evaluateRule = bodyReadRoute({
  operationId: 'evaluateRule',
  summary: 'Try a rule on some entities. Nothing is stored.',
  description: 'The results, in the order of the sent ids.',
  path: plainPath('/segments/evaluate'),
  body: bodyBy(evaluationBy),
  replyHeaders: segmentHeaders,
  reply: evaluationReply,
  faults: ['validation_failed', 'too_many_facts', 'building'],
  answer: async ({ body, want }, { reading }) => {
    const parameters = {
      rule: body.rule,
      externalIds: body.external_ids,
      asOf: body.as_of,
      knownAt: body.known_at,
    }
    const { value, ...applied } = await reading.read('evaluateRule', parameters, want)
    return { data: { items: value.map(itemOf) }, ...applied }
  },
})
