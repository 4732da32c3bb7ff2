import type { FastifyRequest } from 'fastify'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { HttpFault } from '../errors/faults.js'

/** Throws `malformed_request` when the URL has a query: nothing of it would be looked at. */
export function refuseQuery({ query }: FastifyRequest): void {
  if (typeof query !== 'object' || query === null) return
  const [name] = Object.keys(query)
  if (name !== undefined) throw unknownParameter(name)
}

export interface Parameter<T> {
  readonly name: string
  readonly description: string
  readonly schema: object
  /** Undefined: malformed. */
  readonly parse: (text: string) => T | undefined
  /** What it must be, for people: goes on after "must be". */
  readonly form: string
}

/** A request's query, of which nothing is passed over. */
export class Query {
  private readonly given = new Map<string, string>()

  /** Throws `malformed_request` for a parameter that is not among `parameters`, repeated, or badly encoded. */
  constructor(url: string, parameters: readonly Parameter<unknown>[]) {
    const begin = url.indexOf('?')
    if (begin < 0) return
    for (const part of url.slice(begin + 1).split('&')) {
      if (part === '') continue
      const equals = part.indexOf('=')
      const name = decoded(equals < 0 ? part : part.slice(0, equals))
      const value = equals < 0 ? '' : decoded(part.slice(equals + 1))
      if (name === undefined) throw malformed('The query is not percent-encoded UTF-8.')
      if (!parameters.some((parameter) => parameter.name === name)) throw unknownParameter(name)
      if (value === undefined) throw refused(name, 'must be percent-encoded UTF-8')
      if (this.given.has(name)) throw refused(name, 'must not be repeated')
      this.given.set(name, value)
    }
  }

  /** Undefined when it was not sent. Throws `malformed_request`. */
  of<T>(parameter: Parameter<T>): T | undefined {
    const text = this.given.get(parameter.name)
    if (text === undefined) return undefined
    const value = parameter.parse(text)
    if (value === undefined) throw refused(parameter.name, `must be ${parameter.form}`)
    return value
  }
}

/** `rule`: what the parameter must be or do. The value is not repeated. */
export function refused(name: string, rule: string): HttpFault {
  return malformed(`The parameter ${JSON.stringify(name)} ${rule}.`)
}

function unknownParameter(name: string): HttpFault {
  const shown = isLongerThan(name, maxNameLength) ? 'of its query' : JSON.stringify(name)
  return malformed(`The parameter ${shown} is not known here. Leave it out.`)
}

function malformed(message: string): HttpFault {
  return new HttpFault('malformed_request', message)
}

/** As forms are encoded; undefined when it is not UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
