import { createHash } from 'node:crypto'

const dayMs = 86_400_000
const daysAtMost = 365

/**
 * Returns a time at which a customer came to be: up to a year before their first order. The file has no such time, so
 * the days are taken from a hash of the customer's number. Each run returns the same time.
 */
export function customerSince(externalId: string, firstOrderAt: string): string {
  const hash = createHash('sha256').update(externalId).digest().readUInt32BE()
  return new Date(Date.parse(firstOrderAt) - (hash % daysAtMost) * dayMs).toISOString()
}
