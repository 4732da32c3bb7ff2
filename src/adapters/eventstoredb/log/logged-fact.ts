import { isOurs } from '../../../application/facts/our-streams.js'
import { parseJson } from '../../../application/facts/metadata-text.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import { UnreadableFact } from '../../../application/facts/stored-fact.js'
import type { LogEvent } from './read-response.js'

/**
 * Returns the fact in an event of the log. Returns undefined when the event is not in a stream of
 * this product. Throws `UnreadableFact` when data or metadata is not a JSON object. Accepts text in
 * braces without parsing it: readers of the fact parse the text anyway, and parsing it twice is
 * measurably slower.
 */
export function loggedFactOf(event: LogEvent): LoggedFact | undefined {
  if (!isOurs(event)) return undefined
  const { id, type, stream, commit: position, isJson, data, metadata } = event
  const fact = { id, type, data, metadata, stream, position }
  if (!isJson) throw unreadable(fact)
  if (!isInBraces(data) || !isInBraces(metadata)) assertJson(fact)
  return fact
}

/** Throws `UnreadableFact` unless data and metadata are JSON objects. */
function assertJson(fact: LoggedFact): void {
  if (!isObject(fact.data) || !isObject(fact.metadata)) throw unreadable(fact)
}

function isInBraces(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}')
}

function isObject(text: string): boolean {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null
}

function unreadable({ type, id, position, stream }: LoggedFact): UnreadableFact {
  const where = `${type} ${id} at ${String(position)} of ${stream}`
  return new UnreadableFact(`${where}: its data or its metadata is not a JSON object`)
}
