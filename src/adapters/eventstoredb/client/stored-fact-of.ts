import type { RecordedEvent } from '@eventstore/db-client'
import type { StoredFact } from '../../../application/facts/stored-fact.js'

/**
 * The event as a fact; undefined when its data or its metadata is no JSON object. The client gives
 * parsed JSON and not the text: of what JSON.stringify wrote, as every fact of the service, this is
 * the same text again.
 */
export function storedFactOf(event: RecordedEvent): StoredFact | undefined {
  const { id, type, isJson, data, metadata } = event
  if (!isJson || !isJsonObject(data) || !isJsonObject(metadata)) return undefined
  return { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }
}

/** What is no JSON comes from the client as a text or as bytes. */
export function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
}
