import { Refusal, type RefusalCode } from '../ports/refusal.js'

type EntityRefusal = readonly [code: RefusalCode, message: string]

/** By what the state of an entity's stream refuses. */
const entityRefusals: Partial<Record<RefusalCode, EntityRefusal>> = {
  stream_exists: ['entity_exists', 'an entity of this external_id exists'],
  stream_removed: ['entity_removed', 'this external_id was removed for good'],
  stream_missing: ['entity_not_found', 'no entity has this external_id'],
}

/** What a refusal for the state of an entity's stream says of the entity; any other error as it is. */
export function entityError(error: unknown): unknown {
  const refusal = error instanceof Refusal ? entityRefusals[error.code] : undefined
  return refusal === undefined ? error : new Refusal(...refusal, { cause: error })
}
