import { EntityExists, EntityNotFound, EntityRemoved } from './errors.js'
import { StreamExists, StreamMissing, StreamRemoved } from '../ports/store-errors.js'

/** What a refusal for the state of an entity's stream says of the entity; any other error as it is. */
export function entityError(error: unknown): unknown {
  if (error instanceof StreamExists) {
    return new EntityExists('an entity of this external_id exists', { cause: error })
  }
  if (error instanceof StreamRemoved) {
    return new EntityRemoved('this external_id was removed for good', { cause: error })
  }
  if (error instanceof StreamMissing) {
    return new EntityNotFound('no entity has this external_id', { cause: error })
  }
  return error
}
