import type { Customer, OrderLine } from './order-line.js'
import type { Outcome } from './send-with-retries.js'
import type { Write } from './write.js'

/** What the load asks of the service; each resolves when the outcome is known. */
export interface Dossier {
  /** Creates the customer, or brings its country up to date; `line` is the one that says so. */
  upsertCustomer(customer: Customer, line: number): Promise<Outcome>
  recordEvent(customer: Customer, order: OrderLine): Promise<Outcome>
}

/**
 * Writes about one file. Their keys are made of the file's digest and the line in it, so a second run
 * repeats the first one's writes, while two equal lines of a file stay two sales.
 */
export function dossierFor(digest: string, send: (write: Write) => Promise<Outcome>): Dossier {
  return {
    upsertCustomer: ({ externalId, country }, line) =>
      send({
        op: 'update_entity',
        idempotency_key: `${digest}-customer-of-line-${String(line)}`,
        external_id: externalId,
        set: { country },
        upsert: true,
      }),
    recordEvent: ({ externalId }, { line, event }) =>
      send({
        op: 'record_event',
        idempotency_key: `${digest}-line-${String(line)}`,
        entity_external_id: externalId,
        ...event,
      }),
  }
}
