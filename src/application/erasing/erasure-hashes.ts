import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { setImmediate as immediate } from 'node:timers/promises'
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
  { namesStay = false }: Pick<ErasableStreams, 'namesStay'>,
): Recorded {
  return namesStay ? { subject: hmacOf(erasureId, externalId).toString('hex') } : {}
}

/** Whether the record of an erasure says that it is of this name. */
function isSubject({ id, subject }: Subject, externalId: string): boolean {
  if (subject === undefined) return false
  const given = Buffer.from(subject, 'hex')
  const expected = hmacOf(id, externalId)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Erasures that are compared with a name before other work runs. */
const comparedTogether = 200

/**
 * The latest erasure of a name that is suppressed. Compares the name with every erasure: the time that it takes
 * does not tell which erasure it was. Other work runs in between.
 */
export async function suppressedErasureOf(
  erasures: Iterable<Erasure>,
  externalId: string,
): Promise<Erasure | undefined> {
  let found: Erasure | undefined
  let compared = 0
  for (const erasure of erasures) {
    if (!erasure.suppress || erasure.subject === undefined) continue
    if (isSubject(erasure, externalId)) found = erasure
    compared += 1
    if (compared % comparedTogether === 0) await immediate()
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
