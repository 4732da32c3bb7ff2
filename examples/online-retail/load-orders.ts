import type { BatchItem, BatchOptions, Dossier } from 'dossier/client'
import type { Order } from './orders.js'
import { outcomeOf } from './outcome.js'
import type { Tally } from './tally.js'
import { OrderWrites, type OrderWrite } from './writes.js'

/** Called for each line of the file when its outcome is known. */
export type LineDone = (line: number) => void

export interface LoadOptions extends BatchOptions {
  /** The longest time for one request with all its retries, in milliseconds. */
  readonly timeoutMs: number
  /** Identifies the file and the shift of its dates. Idempotency keys begin with this text. */
  readonly file: string
  /** Customers came to be up to a year before their first order, instead of with it. */
  readonly areCustomersOlder?: boolean
  readonly lineDone: LineDone
}

/**
 * Sends every order. The client reads orders as it needs them, keeps the order of writes for each customer, and
 * retries. Throws `GaveUp`, `NotDossier`, the errors of `orders`, and the signal's reason.
 */
export async function loadOrders(
  orders: AsyncIterable<Order>,
  dossier: Pick<Dossier, 'batch'>,
  tally: Tally,
  { file, areCustomersOlder, lineDone, ...options }: LoadOptions,
): Promise<void> {
  /** Writes without a result, in the order of sending. Results arrive in this order. */
  const sent: OrderWrite[] = []
  async function* items(): AsyncGenerator<BatchItem> {
    const writes = new OrderWrites(file, areCustomersOlder)
    for await (const order of orders) {
      tally.linesRead += order.lines
      if (order.customer === undefined) {
        tally.withoutCustomer += order.lines
        lineDone(lastLineOf(order))
      }
      for (const write of writes.of(order)) {
        sent.push(write)
        yield write.item
      }
    }
  }
  for await (const result of dossier.batch(items(), options)) {
    const write = sent.shift()
    if (write === undefined) throw new Error('a result without a write')
    const outcome = outcomeOf(result, options.timeoutMs)
    if (write.about === 'customer') tally.customers.add(outcome)
    else {
      tally.orders.add(outcome)
      tally.linesDone += write.order.lines
      lineDone(lastLineOf(write.order))
    }
  }
}

function lastLineOf({ line, lines }: Order): number {
  return line + lines - 1
}
