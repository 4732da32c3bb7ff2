import type { z } from 'zod'
import { maxNameLength, isLongerThan } from '../../../domain/name.js'
import { maxViolations } from '../../../domain/properties.js'
import { HttpFault } from '../errors/faults.js'
import { noBody } from './json-body.js'
import { detailCodes, type Detail } from '../routes/reply-schemas.js'

/** The body as its form has it, or a fault with everything that is wrong with it. */
export function validate<T>(form: z.ZodType<T>, body: unknown): T {
  if (body === undefined) throw noBody()
  const result = form.safeParse(body)
  if (result.success) return result.data
  const details = result.error.issues.flatMap((issue) => detailsOf(issue, body))
  throw new HttpFault('validation_failed', undefined, details.slice(0, maxViolations))
}

function detailsOf(issue: z.core.$ZodIssue, body: unknown): readonly Detail[] {
  const path = pointer(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(issue.path, key))
    case 'custom': {
      const code = detailCodes.find((known) => known === issue.params?.['code'])
      if (code !== undefined) return [{ path, code, message: issue.message }]
      return [{ path, code: 'wrong_type', message: 'must be a JSON object' }]
    }
    case 'invalid_type':
      if (valueAt(body, issue.path) === undefined) {
        return [{ path, code: 'required', message: 'is required' }]
      }
      return [
        {
          path,
          code: 'wrong_type',
          message: `must be ${typeNames[issue.expected] ?? 'another type'}`,
        },
      ]
    default:
      return [{ path, code: 'wrong_type', message: issue.message }]
  }
}

const typeNames: Readonly<Record<string, string>> = { string: 'a string', object: 'a JSON object' }

/** Named in the path; a name that is itself out of bounds is not repeated. */
function unknownField(parent: readonly PropertyKey[], key: string): Detail {
  const nameable = key.isWellFormed() && !isLongerThan(key, maxNameLength)
  const path = pointer(nameable ? [...parent, key] : parent)
  const message = nameable
    ? 'is not a field of this request'
    : 'has a field that is not of this request'
  return { path, code: 'unknown_field', message }
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Object.getOwnPropertyDescriptor(at, step)?.value
  }
  return at
}
