import type { FastifyRequest } from 'fastify'
import { isLongerThan, maxNameLength } from '../../../domain/name.js'
import { HttpFault } from '../errors/faults.js'

/** Throws `malformed_request` when the URL has a query: nothing of it would be looked at. */
export function refuseQuery({ query }: FastifyRequest): void {
  if (typeof query !== 'object' || query === null) return
  const [name] = Object.keys(query)
  if (name === undefined) return
  const shown = isLongerThan(name, maxNameLength) ? 'of its query' : JSON.stringify(name)
  throw new HttpFault(
    'malformed_request',
    `The parameter ${shown} is not known here. Leave it out.`,
  )
}
