import type { ListedEntity } from '../../../../application/reading/ports/read-model.js'
import { JsonText } from '../../../../domain/json.js'
import { parsePointer, valueAt } from '../../../../domain/segments/rule/pointer.js'
import { objectIn, timestampIn } from '../../file/row.js'

/** The columns of a listed entity. `last_event_at` of `entity_logs` may follow them. */
export const listedColumns =
  'entity, external_id, entity_id, properties, created_at, recorded_at, updated_at'

export type PickProperties = (properties: string) => JsonText

/**
 * Returns a function that copies the values at JSON pointers out of the properties of a profile. Without
 * pointers, the function returns all properties.
 */
export function picking(pointers: readonly string[] | undefined): PickProperties {
  if (pointers === undefined) return (properties) => new JsonText(properties)
  const places = pointers.map((pointer) => ({ pointer, steps: parsePointer(pointer) }))
  return (properties) => {
    const profile = objectIn(properties)
    const found = places.map(({ pointer, steps }) => [pointer, valueAt(profile, steps)] as const)
    // `JsonText.of` omits undefined values.
    return JsonText.of(Object.fromEntries(found))
  }
}

/** Returns the entity in a row of `listedColumns`. */
export function listedIn(row: readonly unknown[], pick: PickProperties): ListedEntity {
  const [, externalId, entityId, properties, createdAt, recordedAt, updatedAt, lastEvent] = row
  return {
    externalId: String(externalId),
    entityId: String(entityId),
    properties: pick(String(properties)),
    createdAt: timestampIn(createdAt),
    recordedAt: timestampIn(recordedAt),
    updatedAt: timestampIn(updatedAt),
    lastEventAt: typeof lastEvent === 'number' ? timestampIn(lastEvent) : undefined,
  }
}
