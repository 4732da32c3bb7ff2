import type { Customer, OrderLine } from './order-line.js'

/** One invoice, as the body of `POST /events`. */
export interface OrderEvent {
  readonly name: 'purchase' | 'cancellation'
  readonly properties: {
    readonly invoice: string
    /** The total in the shop's currency. */
    readonly total: number
    /** The number of pieces. */
    readonly items: number
    /** The number of products, one per line. */
    readonly lines: number
  }
  /** The invoice's date, in RFC 3339. */
  readonly occurred_at: string
}

/** All lines of one invoice. */
export interface Order {
  /** The number of its first line in the file, and its number of lines. */
  readonly line: number
  readonly lines: number
  /** Undefined when the shop did not know the customer. */
  readonly customer: Customer | undefined
  readonly event: OrderEvent
}

const dayMs = 86_400_000

/**
 * Yields the orders of a file. Consecutive lines with equal invoice and customer form an order. `movedDays` is
 * added to every date.
 */
export async function* ordersIn(
  lines: AsyncIterable<OrderLine>,
  movedDays = 0,
): AsyncGenerator<Order> {
  let gathered: OrderLine[] = []
  for await (const line of lines) {
    const [first] = gathered
    if (first !== undefined && !isOfSame(first, line)) {
      yield orderOf(first, gathered, movedDays)
      gathered = []
    }
    gathered.push(line)
  }
  const [first] = gathered
  if (first !== undefined) yield orderOf(first, gathered, movedDays)
}

function isOfSame(one: OrderLine, other: OrderLine): boolean {
  return one.invoice === other.invoice && one.customer?.externalId === other.customer?.externalId
}

function orderOf(first: OrderLine, lines: readonly OrderLine[], movedDays: number): Order {
  const { line, customer, invoice, orderedAt } = first
  const sum = (of: (one: OrderLine) => number) => lines.reduce((all, one) => all + of(one), 0)
  return {
    line,
    lines: lines.length,
    customer,
    event: {
      name: invoice.startsWith('C') ? 'cancellation' : 'purchase',
      properties: {
        invoice,
        total: sum(({ cents }) => cents) / 100,
        items: sum(({ quantity }) => quantity),
        lines: lines.length,
      },
      occurred_at: movedBy(movedDays, orderedAt),
    },
  }
}

function movedBy(days: number, time: string): string {
  if (days === 0) return time
  return new Date(Date.parse(time) + days * dayMs).toISOString()
}

/**
 * Returns the number of days by which to shift the orders, so that the last of them are from the day before `now`
 * (UTC).
 */
export async function daysUntilYesterday(
  lines: AsyncIterable<OrderLine>,
  now: number,
): Promise<number> {
  let last = ''
  for await (const { orderedAt } of lines) if (orderedAt > last) last = orderedAt
  return last === '' ? 0 : Math.floor(now / dayMs) - 1 - Math.floor(Date.parse(last) / dayMs)
}
