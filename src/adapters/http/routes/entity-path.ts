import { z } from 'zod'
import { pathOf } from './route.js'
import { name } from './schemas.js'

const parameters = z.strictObject({ external_id: name('The external_id of the entity.') })
const descriptions = { external_id: 'The external_id of the entity, percent-encoded.' }

/** A path that names an entity. */
export function entityPath(template: `/entities/{external_id}${string}`) {
  return pathOf(template, parameters, descriptions)
}
