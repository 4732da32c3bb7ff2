import type { Checkpoint, FeedFact } from '../../../application/reading/ports/read-model.js'

import { jsonOf } from '../routes/json-of.js'

/** How facts and places of the feed are written. */

const idDigits = 8

/** `position.xxxxxxxx`; a place that was taken unchecked is its position alone. */
export function feedCursor({ position, id }: Checkpoint): string {
  if (position === 0) return 'start'
  return id === '' ? String(position) : `${String(position)}.${id.slice(0, idDigits).toLowerCase()}`
}

export function factItem({ position, id, type, stream, data, requestId }: FeedFact) {
  return { position: String(position), id, type, stream, data, request_id: requestId }
}

const frames = new WeakMap<FeedFact, string>()

/** Made once for all streams that share the fact. */
export function factFrame(fact: FeedFact): string {
  const cached = frames.get(fact)
  if (cached !== undefined) return cached
  const data = jsonOf(factItem(fact))
  const frame = `id: ${feedCursor(fact)}\nevent: ${fact.type}\ndata: ${data}\n\n`
  frames.set(fact, frame)
  return frame
}

/** A client takes note of the id, and gets no event. */
export function placeFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\n\n`
}

/** With data, for without it a client drops the event. */
export function liveFrame(place: Checkpoint): string {
  return `id: ${feedCursor(place)}\nevent: live\ndata: {}\n\n`
}
