import type { AllStreamRecordedEvent } from '@eventstore/db-client'
import { z } from 'zod'
import {
  readEntityCreated,
  readEventRecorded,
  UnreadableFact,
} from '../../../application/facts/fact-format.js'
import { schemaVersion } from '../../../application/facts/fact-schemas.js'
import type { Fact } from '../../../domain/entity.js'
import { NewerSchemaVersion } from './subscription-errors.js'

const versioned = z.object({ schemaVersion: z.number() })

/**
 * Undefined when its type is none of ours. Throws `NewerSchemaVersion` and `UnreadableFact`: whoever
 * reads facts must not guess.
 */
export function readFact(event: AllStreamRecordedEvent): Fact | undefined {
  const { id, type } = event
  const stored = { id, type, data: textOf(event.data), metadata: textOf(event.metadata) }
  try {
    return readEntityCreated(stored) ?? readEventRecorded(stored)
  } catch (cause) {
    const location = `${type} ${id} at ${String(event.position.commit)} of ${event.streamId}`
    const { success, data } = versioned.safeParse(event.metadata)
    if (success && data.schemaVersion > schemaVersion) {
      const version = `has schema version ${String(data.schemaVersion)}`
      const known = `this program reads up to ${String(schemaVersion)}`
      const remedy = 'update it and start it again: it goes on from here'
      throw new NewerSchemaVersion(`${location} ${version}, ${known}; ${remedy}`, { cause })
    }
    throw new UnreadableFact(`${location} does not have the form of its type and version`, {
      cause,
    })
  }
}

/** What is missing or is no JSON becomes text that no fact has. */
function textOf(value: unknown): string {
  return value === undefined || value instanceof Uint8Array ? '' : JSON.stringify(value)
}
