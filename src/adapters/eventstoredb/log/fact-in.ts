import { readFact } from '../../../application/facts/fact-format.js'
import type { Fact } from '../../../application/facts/fact-table.js'
import { NewerSchemaVersion, UnreadableFact } from '../../../application/facts/stored-fact.js'
import type { LogEvent } from './read-response.js'

/**
 * Returns the fact in an event. Returns undefined for an event type that this product does not
 * define. Throws `NewerSchemaVersion` or `UnreadableFact` with the location of the event.
 */
export function factIn(event: LogEvent): Fact | undefined {
  const { id, type, isJson, metadata } = event
  const data = isJson ? event.data : ''
  try {
    return readFact({ id, type, data, metadata })
  } catch (cause) {
    const where = `${type} ${id} at ${String(event.commit)} of ${event.stream}`
    if (cause instanceof NewerSchemaVersion) {
      throw new NewerSchemaVersion(where, cause.version, cause.supported)
    }
    throw new UnreadableFact(`${where} does not have the form of its type and version`, { cause })
  }
}
