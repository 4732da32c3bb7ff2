import type { BatchItem } from 'dossier/client'
import type { OrderLine } from './order-line.js'

/** A write, of which line it is, and whether it is about the customer or the order. */
export interface LineWrite {
  readonly line: number
  readonly about: 'customer' | 'event'
  readonly item: BatchItem
}

/**
 * What a line says: its customer first, where that is new or has another country than before, then its
 * event. Their keys are made of the file's digest and the line in it, so a second run repeats the first
 * one's writes, while two equal lines of a file stay two sales.
 */
export class LineWrites {
  /** The country of each customer, as the latest line has it; the only thing that grows with the file. */
  private readonly countries = new Map<string, string>()

  constructor(private readonly digest: string) {}

  /** Called for one line after the other; none where the shop did not know who bought. */
  *of({ line, customer, event }: OrderLine): Generator<LineWrite> {
    if (customer === undefined) return
    const { externalId, country } = customer
    if (this.countries.get(externalId) !== country) {
      this.countries.set(externalId, country)
      const item: BatchItem = {
        op: 'update_entity',
        idempotency_key: `${this.digest}-customer-of-line-${String(line)}`,
        external_id: externalId,
        set: { country },
        upsert: true,
      }
      yield { line, about: 'customer', item }
    }
    const item: BatchItem = {
      op: 'record_event',
      idempotency_key: `${this.digest}-line-${String(line)}`,
      entity_external_id: externalId,
      ...event,
      properties: { ...event.properties },
    }
    yield { line, about: 'event', item }
  }
}
