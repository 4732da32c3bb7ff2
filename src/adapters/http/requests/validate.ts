import { z } from 'zod'
import { nearMissOf } from '../../../domain/near-miss.js'
import { maxNameLength, isLongerThan } from '../../../domain/name.js'
import { maxViolations } from '../../../domain/properties.js'
import { isEmpty, tooLong, tooMany, violationCodes } from '../../../domain/rule-violation.js'
import { HttpFault, pointer, type Detail } from '../errors/faults.js'

/** Returns the value of a successful check. Throws `validation_failed` with the details of a failed check. */
export function valueOf<T>(checked: Checked<T>): T {
  if (checked.details === undefined) return checked.value
  throw brokenRules(checked.details)
}

export type Checked<T> =
  | { readonly value: T; readonly details?: undefined }
  | { readonly details: readonly Detail[] }

/**
 * Checks a value with a schema. Returns the schema's result, or up to `maxDetails` details about
 * the violations. `query.ts` also checks queries with this function.
 */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  maxDetails = maxViolations,
): Checked<T> {
  const result = schema.safeParse(value)
  if (result.success) return { value: result.data }
  return {
    details: result.error.issues
      .slice(0, maxDetails)
      .flatMap((issue) => detailsOf(issue, value))
      .slice(0, maxDetails),
  }
}

/** The names of the fields that an object may have, by the list of its unknown fields. */
const knownFields = new WeakMap<readonly string[], readonly string[]>()

/**
 * Records the known fields of the schema that refused unknown fields. Zod passes the schema of an issue only to an
 * error function. With an error function of its own, each check of a valid value would take four times as long. Zod
 * calls the error function of its configuration only for issues.
 */
z.config({
  customError: (issue) => {
    if (issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject)
      knownFields.set(issue.keys, Object.keys(issue.inst.shape))
    return undefined
  },
})

export function brokenRules(details: readonly Detail[]): HttpFault {
  return new HttpFault('validation_failed', undefined, details.slice(0, maxViolations))
}

function detailsOf(issue: z.core.$ZodIssue, body: unknown): readonly Detail[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields.get(issue.keys) ?? []
    return issue.keys.slice(0, maxViolations).map((key) => unknownField(issue.path, key, known))
  }
  const { code, message } = violationOf(issue)
  const isMissing = code === 'wrong_type' && valueAt(body, issue.path) === undefined
  return [
    isMissing
      ? { path: pointer(issue.path), code: 'required', message: 'is required' }
      : { path: pointer(issue.path), code, message },
  ]
}

type Violation = Pick<Detail, 'code' | 'message'>

/** Maps an issue of zod to a published error code and its message. */
function violationOf(issue: z.core.$ZodIssue): Violation {
  switch (issue.code) {
    case 'custom':
      return customViolation(issue)
    case 'invalid_type':
      return wrongType(typeNames[issue.expected])
    case 'invalid_value':
      return wrongType(issue.values.map((value) => JSON.stringify(value)).join(' or '))
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'not_multiple_of':
      return outOfRange(`a multiple of ${String(issue.divisor)}`)
    case 'invalid_format':
      return {
        code: 'bad_characters',
        message: `must be of the form ${issue.pattern ?? issue.format}`,
      }
    default:
      return wrongType()
  }
}

function customViolation({ message, params }: z.core.$ZodIssueCustom): Violation {
  const code = violationCodes.find((one) => one === params?.['code'])
  return code === undefined ? wrongType() : { code, message }
}

/** `form` completes "must be …" in the message. */
function wrongType(form = 'as the document at /openapi.json describes it'): Violation {
  return { code: 'wrong_type', message: `must be ${form}` }
}

function outOfRange(form: string): Violation {
  return { code: 'number_out_of_range', message: `must be ${form}` }
}

const numberOrigins = new Set<string>(['number', 'int', 'bigint', 'date'])

function tooSmall({ origin, minimum }: z.core.$ZodIssueTooSmall): Violation {
  if (numberOrigins.has(origin)) return outOfRange(`at least ${String(minimum)}`)
  const what = origin === 'string' ? 'characters' : 'items'
  const message = minimum === 1 ? isEmpty.message : `must have at least ${String(minimum)} ${what}`
  return { code: 'empty', message }
}

function tooBig({ origin, maximum }: z.core.$ZodIssueTooBig): Violation {
  if (numberOrigins.has(origin)) return outOfRange(`at most ${String(maximum)}`)
  return origin === 'string' ? tooLong(Number(maximum)) : tooMany(Number(maximum), 'items')
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  null: 'null',
  array: 'a JSON array',
  object: 'a JSON object',
  record: 'a JSON object',
}

/**
 * Returns the detail of an unknown field. The path names the field, unless the name is too long or ill-formed. The
 * message names the known field that the name most likely misspells.
 */
function unknownField(
  parent: readonly PropertyKey[],
  key: string,
  known: readonly string[],
): Detail {
  const nameable = key.isWellFormed() && !isLongerThan(key, maxNameLength)
  const path = pointer(nameable ? [...parent, key] : parent)
  const message = nameable
    ? `is not a field of this request${orNearMiss(key, known)}`
    : 'has an unknown field'
  return { path, code: 'unknown_field', message }
}

/** Returns the end of a message about an unknown name: the known name that it most likely misspells. */
export function orNearMiss(name: string, known: readonly string[]): string {
  const near = nearMissOf(name, known)
  return near === undefined ? '' : `; did you mean ${near}?`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Object.getOwnPropertyDescriptor(at, step)?.value
  }
  return at
}
