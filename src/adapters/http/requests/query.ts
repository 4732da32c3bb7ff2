import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { maxViolations } from '../../../domain/properties.js'
import type { ViolationCode } from '../../../domain/rule-violation.js'
import { HttpFault, pointer, type Detail } from '../errors/faults.js'
import { check, orNearMiss, type Checked } from './validate.js'

/** A schema for the texts of query parameters, by parameter name. */
export type QuerySchema<Query> = z.ZodObject & z.ZodType<Query>

/** The schema of a request without query parameters. */
export const noQuery = z.strictObject({})

/**
 * Parses and checks the query parameters of a request. Throws `malformed_request` with one detail
 * for each parameter that is unknown, repeated, badly encoded or refused by the schema.
 */
export function queryOf<Query>(
  { raw: { url = '' } }: FastifyRequest,
  schema: QuerySchema<Query>,
): Query {
  const { texts, details } = textsIn(url, schema)
  const checked: Checked<Query> =
    details.length > 0 ? { details } : check(schema, Object.fromEntries(texts))
  if (checked.details === undefined) return checked.value
  throw malformedQuery(checked.details)
}

/**
 * Returns the fault of one parameter. `message` completes the sentence "The parameter …", without the sent value.
 */
export function queryFault(name: string, code: ViolationCode, message: string): HttpFault {
  return malformedQuery([detailOf(name, code, message)])
}

/**
 * Splits the query into the text of each parameter. Also returns a detail for each unknown,
 * repeated or badly encoded parameter.
 */
function textsIn(url: string, { shape }: z.ZodObject) {
  const texts = new Map<string, string>()
  const details: Detail[] = []
  const begin = url.indexOf('?')
  for (const part of begin < 0 ? [] : url.slice(begin + 1).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    const text = equals < 0 ? '' : decoded(part.slice(equals + 1))
    const fault = name !== undefined && formFault(name, text, { shape, texts })
    if (name === undefined) details.push({ path: '', ...badEncoding })
    else if (fault) details.push(fault)
    else texts.set(name, text ?? '')
  }
  return { texts, details }
}

const badEncoding = { code: 'ill_formed', message: 'must be percent-encoded UTF-8' } as const

function formFault(
  name: string,
  text: string | undefined,
  known: { readonly shape: z.ZodRawShape; readonly texts: ReadonlyMap<string, string> },
): Detail | undefined {
  if (!Object.hasOwn(known.shape, name)) return unknownParameter(name, Object.keys(known.shape))
  if (text === undefined) return detailOf(name, badEncoding.code, badEncoding.message)
  return known.texts.has(name) ? detailOf(name, 'too_many', 'must not be repeated') : undefined
}

function unknownParameter(name: string, known: readonly string[]): Detail {
  return isLongerThan(name, maxNameLength)
    ? { path: '', code: 'unknown_field', message: 'has an unknown parameter' }
    : detailOf(name, 'unknown_field', `is unknown${orNearMiss(name, known) || ': leave it out'}`)
}

function detailOf(name: string, code: ViolationCode, message: string): Detail {
  return { path: pointer([name]), code, message }
}

/**
 * Returns the fault of a query. The message names the first wrong parameter, and the details name
 * up to 100 parameters.
 */
function malformedQuery(details: readonly Detail[]): HttpFault {
  const [{ path, message } = { path: '', ...badEncoding }] = details
  const name = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  const subject = path === '' ? 'The query' : `The parameter ${JSON.stringify(name)}`
  const shown = details.slice(0, maxViolations)
  const text = `${subject} ${message}`
  return new HttpFault('malformed_request', text.endsWith('?') ? text : `${text}.`, shown)
}

/** Decodes a form-encoded text, in which `+` means a space. Undefined when the text is not UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
