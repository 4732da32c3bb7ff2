import type { AllStreamRecordedEvent } from '@eventstore/db-client'
import { isOurs } from '../../../application/facts/our-streams.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import { storedFactOf } from '../client/stored-fact-of.js'

/** Whether the event is a fact of ours, readable or not. */
export function isOurFact({ streamId, type }: AllStreamRecordedEvent): boolean {
  return isOurs({ stream: streamId, type })
}

/** Undefined when it is no fact of ours. Throws `UnreadableFact` when it is one without its JSON. */
export function loggedFactOf(event: AllStreamRecordedEvent): LoggedFact | undefined {
  if (!isOurFact(event)) return undefined
  const { id, type, streamId: stream, position } = event
  const fact = storedFactOf(event)
  if (fact === undefined) {
    const where = `${type} ${id} at ${String(position.commit)} of ${stream}`
    throw new UnreadableFact(`${where}: its data or its metadata is no JSON object`)
  }
  return { ...fact, stream, position: Number(position.commit) }
}
