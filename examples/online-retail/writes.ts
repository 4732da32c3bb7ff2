import type { BatchItem } from 'dossier/client'
import { customerSince } from './customer-since.js'
import type { Customer } from './order-line.js'
import type { Order } from './orders.js'

/** A write of an order: either its customer or its event. */
export interface OrderWrite {
  readonly order: Order
  readonly about: 'customer' | 'event'
  readonly item: BatchItem
}

/**
 * Converts orders to writes. Writes the customer first, if it is new or its country changed, and then the event. An
 * idempotency key contains the file's identifier and the order's first line. So a second run repeats the writes of
 * the first run, and two equal orders of a file stay separate.
 */
export class OrderWrites {
  /** The latest country of each customer. Only this map grows with the file. */
  private readonly countries = new Map<string, string>()

  /** `areCustomersOlder`: customers came to be up to a year before their first order, instead of with it. */
  constructor(
    private readonly file: string,
    private readonly areCustomersOlder = false,
  ) {}

  /**
   * Returns the writes of an order. Must be called in the order of the file. Returns none when the shop did not
   * know the customer.
   */
  *of(order: Order): Generator<OrderWrite> {
    const { line, customer, event } = order
    if (customer === undefined) return
    const { externalId, country } = customer
    if (this.countries.get(externalId) !== country) {
      const isNew = !this.countries.has(externalId)
      this.countries.set(externalId, country)
      yield { order, about: 'customer', item: this.customerItem(order, customer, isNew) }
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

  /**
   * The write that creates a customer, or sets the country of an existing one, at the time of the order or before it.
   * So the service shows each customer from the first order on.
   */
  private customerItem(
    { line, event: { occurred_at: orderedAt } }: Order,
    { externalId, country }: Customer,
    isNew: boolean,
  ): BatchItem {
    const isOlder = isNew && this.areCustomersOlder
    return {
      op: 'update_entity',
      idempotency_key: `${this.file}-customer-of-line-${String(line)}`,
      external_id: externalId,
      set: { country },
      occurred_at: isOlder ? customerSince(externalId, orderedAt) : orderedAt,
      upsert: true,
    }
  }
}
