import type { BatchItem } from 'dossier/client'
import type { Customer } from './order-line.js'
import type { Order } from './orders.js'

/** A write of an order: either its customer or its event. */
export interface OrderWrite {
  readonly order: Order
  readonly about: 'customer' | 'event'
  readonly item: BatchItem
}

/**
 * What an order says: its customer first, where that is new or has another country than before, then its
 * event. Their keys are made of the file's name for keys and the order's first line in it, so a second run
 * repeats the first one's writes, while two equal orders of a file stay two.
 */
export class OrderWrites {
  /** The country of each customer, as the latest order has it; the only thing that grows with the file. */
  private readonly countries = new Map<string, string>()

  constructor(private readonly file: string) {}

  /** Call in the order of the file. Returns no writes when the shop did not know the customer. */
  *of(order: Order): Generator<OrderWrite> {
    const { line, customer, event } = order
    if (customer === undefined) return
    const { externalId, country } = customer
    if (this.countries.get(externalId) !== country) {
      this.countries.set(externalId, country)
      yield { order, about: 'customer', item: this.customerItem(line, customer) }
    }
    const item: BatchItem = {
      op: 'record_event',
      idempotency_key: `${this.file}-order-of-line-${String(line)}`,
      entity_external_id: externalId,
      ...event,
      properties: { ...event.properties },
    }
    yield { order, about: 'event', item }
  }

  /** The write that creates a customer, or sets the country of an existing one. */
  private customerItem(line: number, { externalId, country }: Customer): BatchItem {
    return {
      op: 'update_entity',
      idempotency_key: `${this.file}-customer-of-line-${String(line)}`,
      external_id: externalId,
      set: { country },
      upsert: true,
    }
  }
}
