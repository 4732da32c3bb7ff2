import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Erasure } from '../../domain/erasure-receipts.js'
import type { EntityErasureRecorded } from '../../domain/erasures.js'
import type { Erasable } from './ports/erasable.js'

type Recorded = Pick<EntityErasureRecorded['data'], 'subject'>
type Subject = Recorded & { readonly id: string }

/**
 * Returns an HMAC of the external id, with the erasure id as its key. It is recorded with the
 * erasure. Once the stream is gone, only this HMAC leads from the external id to the erasure.
 * Returns an empty object unless the store keeps the name of the stream, which contains the
 * external id.
 */
export function subjectOf(
  erasureId: string,
  externalId: string,
  { keepsNames }: Pick<Erasable, 'keepsNames'>,
): Recorded {
  return keepsNames ? { subject: hmacOf(erasureId, externalId).toString('hex') } : {}
}

/** Returns whether a recorded erasure is about this external id. */
function isSubject({ id, subject }: Subject, externalId: string): boolean {
  if (subject === undefined) return false
  const given = Buffer.from(subject, 'hex')
  const expected = hmacOf(id, externalId)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The number of erasures to compare before other work may run. */
const comparedTogether = 200

/**
 * Returns the latest erasure of an external id whose reuse is blocked. Compares the external id
 * with every erasure, so that the duration does not reveal which erasure matches. Lets other work
 * run during the comparison.
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

/** Derives an id from a text: a UUID of version 8, which is reserved for custom formats. */
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
