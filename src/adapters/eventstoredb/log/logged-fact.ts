import { isOurs } from '../../../application/facts/our-streams.js'
import { parseJson } from '../../../application/facts/parse-json.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import type { LogEvent } from './read-response.js'

/** Undefined when it is no fact of ours. Throws `UnreadableFact` when it is one without its JSON. */
export function loggedFactOf(event: LogEvent): LoggedFact | undefined {
  if (!isOurs(event)) return undefined
  const { id, type, stream, commit: position, data, metadata } = event
  if (data === undefined || !isObject(data) || !isObject(metadata)) {
    const where = `${type} ${id} at ${String(position)} of ${stream}`
    throw new UnreadableFact(`${where}: its data or its metadata is no JSON object`)
  }
  return { id, type, data, metadata, stream, position }
}

/** What begins and ends as an object is none only if it is no JSON: whoever reads the fact finds that. */
function isObject(text: string): boolean {
  if (text.startsWith('{') && text.endsWith('}')) return true
  const value = parseJson(text)
  return typeof value === 'object' && value !== null
}
