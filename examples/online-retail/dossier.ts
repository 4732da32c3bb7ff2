import { createHash } from 'node:crypto'
import type { Message } from './http-post.js'
import type { Customer, OrderLine } from './order-line.js'
import type { Outcome } from './send-with-retries.js'

/** Sends until the outcome is known. */
export type Send = (message: Message) => Promise<Outcome>

/** What the load asks of the service. */
export interface Dossier {
  createCustomer(customer: Customer): Promise<Outcome>
  recordEvent(customer: Customer, order: OrderLine): Promise<Outcome>
}

/**
 * Requests about one file. Their keys are made of the file's digest and the place in it, so a second
 * run repeats the first one's requests, while two equal lines of a file stay two sales.
 */
export function dossierFor(digest: string, send: Send): Dossier {
  return {
    createCustomer: ({ externalId, country }) =>
      send({
        path: '/entities',
        body: JSON.stringify({ external_id: externalId, properties: { country } }),
        idempotencyKey: `${digest}-customer-${shortened(externalId)}`,
      }),
    recordEvent: ({ externalId }, { line, event }) =>
      send({
        path: '/events',
        body: JSON.stringify({ entity_external_id: externalId, ...event }),
        idempotencyKey: `${digest}-line-${String(line)}`,
      }),
  }
}

/** An id may be longer than a key and of any script. */
function shortened(externalId: string): string {
  return createHash('sha256').update(externalId).digest('hex')
}
