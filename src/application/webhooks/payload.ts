import type { OutgoingFact } from './ports/webhook-queries.js'

/**
 * Returns the id of a message. The message of an erasure has the id of the erasure, so that a receiver counts
 * it once.
 */
export function messageIdOf({ id, erasureId }: OutgoingFact): string {
  return erasureId ?? id
}

/**
 * Returns the body of a message. The data and the profile are inserted as texts, because the read model wrote
 * them as JSON.
 */
export function bodyOf(fact: OutgoingFact): string {
  const { position, id, type, at, data, profile, isProfileOmitted } = fact
  const head = JSON.stringify({
    type,
    id,
    timestamp: at,
    position: String(position),
    cursor: cursorOf({ position, id }),
  })
  const members = [head.slice(0, -1), `"data":${data.text}`]
  if (profile !== undefined) members.push(`"profile":${profile.text}`)
  if (isProfileOmitted) members.push('"profile":null,"profile_omitted":true')
  return `${members.join(',')}}`
}

/** Returns the cursor of a fact, as `GET /facts` returns it. */
export function cursorOf({ position, id }: { readonly position: number; readonly id: string }) {
  return id === '' ? String(position) : `${String(position)}.${id.slice(0, 8)}`
}
