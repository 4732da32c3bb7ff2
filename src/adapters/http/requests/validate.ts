import type { z } from 'zod'
import { maxNameLength, isLongerThan } from '../../../domain/name.js'
import { maxViolations } from '../../../domain/properties.js'
import { violationCodes } from '../../../domain/rule-violation.js'
import { HttpFault, pointer, type Detail } from '../errors/faults.js'

/** Throws `validation_failed` when it is none. */
export function valueOf<T>(checked: Checked<T>): T {
  if (checked.details === undefined) return checked.value
  throw brokenRules(checked.details)
}

export type Checked<T> =
  | { readonly value: T; readonly details?: undefined }
  | { readonly details: readonly Detail[] }

/**
 * The value as its schema has it, or everything that is wrong with it, at most `maxDetails`, 1 or more. Throws
 * a `TypeError` for a mistake of ours: a schema that refuses a value without one of the published codes.
 */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  maxDetails = maxViolations,
): Checked<T> {
  const result = schema.safeParse(value)
  if (result.success) return { value: result.data }
  const issues = result.error.issues.slice(0, maxDetails)
  return { details: issues.flatMap((issue) => detailsOf(issue, value)).slice(0, maxDetails) }
}

export function brokenRules(details: readonly Detail[]): HttpFault {
  return new HttpFault('validation_failed', undefined, details.slice(0, maxViolations))
}

function detailsOf(issue: z.core.$ZodIssue, body: unknown): readonly Detail[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, maxViolations).map((key) => unknownField(issue.path, key))
    case 'custom':
      return [brokenRule(issue, body)]
    case 'invalid_type':
      return [wrongType(issue, body)]
    default:
      throw new TypeError(`a schema checks what has no published code: ${issue.code}`)
  }
}

function brokenRule({ path, message, params }: z.core.$ZodIssueCustom, body: unknown): Detail {
  const code = violationCodes.find((one) => one === params?.['code'])
  if (code === undefined) {
    throw new TypeError(`a rule has no published code: ${String(params?.['code'])}`)
  }
  if (code === 'wrong_type' && valueAt(body, path) === undefined) return missing(path)
  return { path: pointer(path), code, message }
}

function missing(path: readonly PropertyKey[]): Detail {
  return { path: pointer(path), code: 'required', message: 'is required' }
}

function wrongType({ path, expected }: z.core.$ZodIssueInvalidType, body: unknown): Detail {
  if (valueAt(body, path) === undefined) return missing(path)
  const message = `must be ${typeNames[expected] ?? 'another type'}`
  return { path: pointer(path), code: 'wrong_type', message }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  object: 'a JSON object',
}

/** Named in the path; a name that is itself out of bounds is not repeated. */
function unknownField(parent: readonly PropertyKey[], key: string): Detail {
  const nameable = key.isWellFormed() && !isLongerThan(key, maxNameLength)
  const path = pointer(nameable ? [...parent, key] : parent)
  const message = nameable
    ? 'is not a field of this request'
    : 'has a field that is not of this request'
  return { path, code: 'unknown_field', message }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Object.getOwnPropertyDescriptor(at, step)?.value
  }
  return at
}
