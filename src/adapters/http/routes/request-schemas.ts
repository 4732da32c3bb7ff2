import { z } from 'zod'
import type { RuleViolation } from '../../../domain/rule-violation.js'
import type { JsonObject } from '../../../domain/json.js'
import { maxNameLength, nameViolations } from '../../../domain/name.js'
import {
  maxNesting,
  maxKeyLength,
  maxMembers,
  propertyViolations,
} from '../../../domain/properties.js'

/** The forms of what we are sent. Their shape is here; the rules of values are the domain's. */

type Rule<T> = (value: T) => readonly RuleViolation[]

function keeping<T>(rule: Rule<T>) {
  return ({ value, issues }: z.core.ParsePayload<T>) => {
    for (const { path, code, message } of rule(value)) {
      issues.push({ code: 'custom', input: value, path: [...path], message, params: { code } })
    }
  }
}

function name(description: string) {
  return z
    .string()
    .check(keeping(nameViolations))
    .meta({ description, minLength: 1, maxLength: maxNameLength })
}

const properties = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  )
  .check(keeping<JsonObject>(propertyViolations))
  .optional()
  .meta({
    type: 'object',
    maxProperties: maxMembers,
    description:
      `Any JSON object: at most ${String(maxMembers)} members, keys of 1 to ${String(maxKeyLength)} ` +
      `characters, at most ${String(maxNesting)} levels, whole numbers within ±(2^53 − 1). ` +
      'Left out: {}.',
  })

const rules =
  'Characters of any script, no control characters, no white space at either end, not "." or "..".'

export const entitySchema = z.strictObject({
  external_id: name(`Your name for the customer or user. ${rules}`),
  properties,
})

export const eventSchema = z.strictObject({
  entity_external_id: name(`The external_id of an entity that exists. ${rules}`),
  name: name(`What happened. ${rules}`),
  properties,
})
