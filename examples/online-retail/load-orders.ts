import type { BatchItem, BatchOptions, Dossier } from 'dossier/client'
import type { OrderLine } from './order-line.js'
import { outcomeOf } from './outcome.js'
import type { Tally } from './tally.js'
import { LineWrites, type LineWrite } from './writes.js'

/** Told of each line of the file that is done with. */
export type LineDone = (line: number) => void

export interface LoadOptions extends BatchOptions {
  /** How long one request may take with all its repeats, in milliseconds. */
  readonly timeoutMs: number
  /** Of the file: what keys are made of. */
  readonly digest: string
  readonly lineDone: LineDone
}

/**
 * Sends every line. The client takes lines as it needs them, keeps the order of each customer, and sends
 * again what has to be. Throws `GaveUp`, `NotDossier`, what `orders` throws, and the signal's reason.
 */
export async function loadOrders(
  orders: AsyncIterable<OrderLine>,
  dossier: Pick<Dossier, 'batch'>,
  tally: Tally,
  { digest, lineDone, ...options }: LoadOptions,
): Promise<void> {
  /** Sent, and without a result yet: results come in the order of what was sent. */
  const sent: LineWrite[] = []
  async function* items(): AsyncGenerator<BatchItem> {
    const writes = new LineWrites(digest)
    for await (const order of orders) {
      tally.read(order.event.occurred_at)
      if (order.customer === undefined) {
        tally.withoutCustomer += 1
        lineDone(order.line)
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
      tally.events.add(outcome)
      lineDone(write.line)
    }
  }
}
