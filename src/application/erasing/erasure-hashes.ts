import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Erasure } from '../../domain/erasure-receipts.js'
import type { EntityErasureRecorded } from '../../domain/erasures.js'
import type { ErasableStreams } from './ports/erasable-streams.js'

type Recorded = Pick<EntityErasureRecorded['data'], 'subject'>
type Subject = Recorded & { readonly id: string }

/**
 * Whose erasure it is, for the record of it: an HMAC of the name under the erasure's id, and only where the
 * name stays in the store anyway. Nothing else leads from a name to its erasure once the stream is gone.
 */
export function subjectOf(
  erasureId: string,
  externalId: string,
  { namesStay = false }: ErasableStreams,
): Recorded {
  return namesStay ? { subject: hmacOf(erasureId, externalId).toString('hex') } : {}
}

/** Whether the record of an erasure says that it is of this name. */
export function isSubject({ id, subject }: Subject, externalId: string): boolean {
  if (subject === undefined) return false
  const given = Buffer.from(subject, 'hex')
  const expected = hmacOf(id, externalId)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The latest erasure of a name that is suppressed. Each is looked at, wherever it is. */
export function suppressedErasureOf(
  erasures: Iterable<Erasure>,
  externalId: string,
): Erasure | undefined {
  let found: Erasure | undefined
  for (const erasure of erasures) {
    if (erasure.suppress && isSubject(erasure, externalId)) found = erasure
  }
  return found
}

function hmacOf(erasureId: string, externalId: string): Buffer {
  return createHmac('sha256', erasureId).update(externalId).digest()
}

/** The id that follows from a text: a UUID of version 8, whose form is the maker's own. */
export function idOfText(text: string): string {
  const hex = hash('sha256', text)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  return parts.join('-')
}
