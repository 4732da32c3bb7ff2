import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { validate } from '../requests/validate.js'
import { name } from './schemas.js'

/** The parameters of a path that names an entity. */
export const entityPath = z.strictObject({ external_id: name('The external_id of the entity.') })

/** For the OpenAPI document. */
export const pathParameters = { external_id: 'The external_id of the entity, percent-encoded.' }

/** Throws `validation_failed` when no entity can have the external id of the path. */
export function externalIdOf({ params }: FastifyRequest): string {
  return validate(entityPath, params).external_id
}
