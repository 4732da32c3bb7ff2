import type { AllStreamRecordedEvent } from '@eventstore/db-client'
import { readFact } from '../../../application/facts/fact-format.js'
import type { Fact } from '../../../application/facts/fact-table.js'
import { NewerSchemaVersion, UnreadableFact } from '../../../application/facts/unreadable-fact.js'

/**
 * Undefined when its type is none of ours. Throws `NewerSchemaVersion` and `UnreadableFact`, which say
 * where it is: whoever reads facts must not guess.
 */
export function factIn(event: AllStreamRecordedEvent): Fact | undefined {
  const { id, type } = event
  try {
    return readFact({ id, type, data: textOf(event.data), metadata: textOf(event.metadata) })
  } catch (cause) {
    const where = `${type} ${id} at ${String(event.position.commit)} of ${event.streamId}`
    if (cause instanceof NewerSchemaVersion) {
      throw new NewerSchemaVersion(where, cause.version, cause.known)
    }
    throw new UnreadableFact(`${where} does not have the form of its type and version`, { cause })
  }
}

/** What is missing or is no JSON becomes text that no fact has. */
function textOf(value: unknown): string {
  return value === undefined || value instanceof Uint8Array ? '' : JSON.stringify(value)
}
