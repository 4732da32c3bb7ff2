import { z } from 'zod'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import {
  parseDayOrInstant,
  earliestYear,
  maxAheadMs,
  occurredAtViolations,
} from '../../../domain/instant.js'
import { isJsonObject, type JsonObject } from '../../../domain/json.js'
import { maxNameLength, nameViolations } from '../../../domain/name.js'
import {
  maxKeyLength,
  maxMembers,
  maxNesting,
  maxViolations,
  propertyViolations,
  unsetViolations,
} from '../../../domain/properties.js'
import {
  broken,
  violationCodes,
  type RuleViolation,
  type ViolationCode,
} from '../../../domain/rule-violation.js'
import { faultCodes } from '../errors/faults.js'

type Rule<T> = (value: T) => readonly RuleViolation[]

/**
 * Turns a domain rule into a zod check. Zod still runs the remaining checks after a violation, so
 * that all violations are reported together.
 */
export function keeping<T>(rule: Rule<T>) {
  return ({ value, issues }: z.core.ParsePayload<T>) => {
    for (const { path, code, message } of rule(value)) {
      const params = { code }
      issues.push({
        code: 'custom',
        input: value,
        path: [...path],
        message,
        params,
        continue: true,
      })
    }
  }
}

const nameRules =
  'Characters of any script, no control characters, no white space at either end, not "." or "..".'

export function name(description: string) {
  return z
    .string()
    .check(keeping(nameViolations))
    .meta({ description: `${description} ${nameRules}`, minLength: 1, maxLength: maxNameLength })
}

/** A schema for a type that zod does not have. `form` completes "must be …" in the message. */
export function typed<T>(isOne: (value: unknown) => boolean, form: string) {
  return z.custom<T>(isOne, { error: `must be ${form}`, params: { code: 'wrong_type' } })
}

/** A schema for a list of items of any type. `rule` checks the whole list. */
export function listOf<Item>(rule: Rule<readonly unknown[]>) {
  return typed<readonly Item[]>(Array.isArray, 'a JSON array').check(
    keeping<readonly unknown[]>((list) => (Array.isArray(list) ? rule(list) : [])),
  )
}

/**
 * The JSON Schema of an object with any members. It says `additionalProperties`, because client
 * generators would otherwise generate a type without members.
 */
const anyMembers = { type: 'object', additionalProperties: true } as const

export const properties = typed<JsonObject>(isJsonObject, 'a JSON object')
  .check(keeping<JsonObject>(propertyViolations))
  .optional()
  .meta({
    ...anyMembers,
    maxProperties: maxMembers,
    description:
      `Any JSON object: at most ${String(maxMembers)} members, keys of 1 to ` +
      `${String(maxKeyLength)} characters, at most ${String(maxNesting)} levels, whole numbers ` +
      'within ±(2^53 − 1). Default: {}.',
  })

export const propertyNames = listOf<string>(unsetViolations)
  .optional()
  .meta({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: maxKeyLength },
    maxItems: maxMembers,
  })

/** Reports violations from inside a zod transformation. */
export function report(context: z.core.$RefinementCtx, violations: readonly RuleViolation[]): void {
  for (const { path, code, message } of violations) {
    context.addIssue({ code: 'custom', path: [...path], message, params: { code } })
  }
}

/**
 * A schema that converts text with `read`. `code` and `message` describe the fault when `read` returns undefined.
 */
export function textAs<T>(
  read: (text: string) => T | undefined,
  code: ViolationCode,
  message: string,
) {
  return z.string().transform((text, context) => {
    const value = read(text)
    if (value !== undefined) return value
    report(context, [broken(code, message)])
    return z.NEVER
  })
}

export function wholeNumber(minimum: number, maximum: number) {
  const isInside = (value: number) => value >= minimum && value <= maximum
  const rule = broken(
    'number_out_of_range',
    `must be from ${String(minimum)} to ${String(maximum)}`,
  )
  return typed<number>(Number.isInteger, 'a whole number')
    .check(keeping<number>((value) => (!Number.isInteger(value) || isInside(value) ? [] : [rule])))
    .meta({ type: 'integer', minimum, maximum })
}

/** A clock for schemas that only describe values in the OpenAPI document. */
export const noClock: Clock = { now: () => new Date(0) }

/**
 * A schema for the own time of an event, a creation or a change. `what` completes the description.
 * Converts text to an instant, and refuses an instant that is further in the future than the clock
 * allows.
 */
export function occurredAt(clock: Clock, what: string) {
  return z
    .string()
    .transform((text, context) => {
      const instant = parseDayOrInstant(text)
      report(context, occurredAtViolations(instant, clock.now()))
      return instant
    })
    .optional()
    .meta({
      anyOf: [{ format: 'date-time' }, { format: 'date' }],
      description:
        `${what}. Default: now. RFC 3339 with an offset, or YYYY-MM-DD, which means midnight UTC. ` +
        `The year is at least ${String(earliestYear)}, and the time is at most ` +
        `${String(maxAheadMs / 1_000)} seconds after receipt. A second 60 is refused. Digits ` +
        'beyond milliseconds are cut off.',
      override: { examples: ['2026-11-19T19:05:00+01:00'] },
    })
}

export const count = z.int().min(0)

export const sentProperties = z
  .custom<object>()
  .meta({ ...anyMembers, description: 'The JSON value that was sent.' })

/** Reply members that several resources share. */
export const externalId = z.string().meta({ description: 'The external_id of the entity.' })
export const entityId = z
  .string()
  .meta({ description: 'The id of the fact that created the entity.' })
export const segmentName = z.string().meta({ description: 'The key of the segment.' })
export const unsetNames = z
  .array(z.string())
  .meta({ description: 'The names of the removed properties.' })

/** Returns the reply member `items`, a list of `item`. */
export function itemsOf<Item extends z.ZodType>(
  item: Item,
  description = 'The items of the page.',
) {
  return z.array(item).meta({ description })
}

export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'UTC with milliseconds.', examples: ['2026-11-20T09:30:00.000Z'] })

/**
 * The time at which a creation was recorded. `created_at` differs from it if the caller gave a
 * time.
 */
export const recordedAt = timestamp.meta({
  description: 'The time at which the creation was recorded.',
})

/** The own time of a fact in the reply to its write. */
export const sentOccurredAt = timestamp.optional().meta({
  description: 'The own time, in UTC with milliseconds. Present if it was sent.',
})

/** Formats an instant like `timestamp`. Undefined becomes null. */
export function isoOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}

export const nextCursor = z
  .string()
  .nullable()
  .meta({
    description:
      'The `cursor` of the next page. Send it with otherwise the same parameters. Null at the ' +
      'end.',
  })

/** The body of a successful reply. */
export interface Success<Data> {
  readonly status: 'success'
  readonly data: Data
}

/**
 * Returns the schema of a successful reply. `id` is the name of the data's schema in the OpenAPI
 * document.
 */
export function success<Data extends z.ZodRawShape>(data: Data, id?: string) {
  const schema = z.strictObject(data)
  return z.strictObject({
    status: z.literal('success'),
    data: id === undefined ? schema : schema.meta({ id }),
  })
}

/** A fault, in an error reply or in the result of a batch item. */
export const fault = z
  .strictObject({
    code: z.enum(faultCodes).meta({
      id: 'FaultCode',
      description: 'The code of the fault, for programs. A code never changes.',
    }),
    message: z.string().meta({ description: 'The message for people, which says what to do.' }),
    details: z
      .array(
        z
          .strictObject({
            path: z.string().meta({
              description:
                'For a body, a JSON Pointer; "" is the whole body. For a path or query parameter, its ' +
                'name; "" is the whole query.',
            }),
            code: z.enum(violationCodes).meta({
              id: 'DetailCode',
              description: 'The code of the broken rule, for programs.',
            }),
            message: z.string().meta({ description: 'The broken rule, for people.' }),
          })
          .meta({ id: 'Detail', description: 'One broken rule of a request.' }),
      )
      .max(maxViolations)
      .meta({ description: 'Every rule that the request breaks.' }),
    request_id: z.string().meta({ description: 'The id of the request, for the operator.' }),
  })
  .meta({ id: 'Fault', description: 'A fault in a reply of the service.' })

export const faultReply = z
  .strictObject({ status: z.literal('error'), error: fault })
  .meta({ id: 'FaultReply' })
