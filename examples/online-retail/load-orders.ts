import { errorText } from './error-text.js'
import type { Dossier } from './dossier.js'
import type { Customer, OrderLine } from './order-line.js'
import type { Outcome } from './send-with-retries.js'
import type { Tally } from './tally.js'

/** Told of each line of the file that is done with. */
export type LineDone = (line: number) => void

/** The code under which an event is counted that was not sent because its customer was refused. */
export const customerRefused = 'customer_refused'

/**
 * Sends every line: its customer first, where that is new or has another country, then its event.
 * `workers` take lines from the one source, each with one write at a time, so that is the bound on
 * writes under way and on memory alike. The first error ends the source, and with it every worker after its write;
 * `callOff` is told at once, to cut those short.
 */
export async function loadOrders(
  orders: AsyncGenerator<OrderLine>,
  dossier: Dossier,
  tally: Tally,
  { workers, lineDone, callOff }: LoadOptions,
): Promise<void> {
  const customers = new Customers(dossier, tally)
  let first: Error | undefined
  const work = async (): Promise<void> => {
    try {
      for await (const order of orders) {
        tally.read(order.event.occurred_at)
        await sendLine(order, customers, dossier, tally)
        lineDone(order.line)
      }
    } catch (error) {
      first ??= error instanceof Error ? error : new Error(errorText(error), { cause: error })
      callOff(first)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  if (first !== undefined) throw first
}

export interface LoadOptions {
  readonly workers: number
  readonly lineDone: LineDone
  readonly callOff: (error: Error) => void
}

async function sendLine(
  order: OrderLine,
  customers: Customers,
  dossier: Dossier,
  tally: Tally,
): Promise<void> {
  const { customer } = order
  if (customer === undefined) {
    tally.withoutCustomer += 1
    return
  }
  const outcome: Outcome = (await customers.isStored(customer, order.line))
    ? await dossier.recordEvent(customer, order)
    : { kind: 'refused', code: customerRefused }
  tally.events.add(outcome)
}

interface KnownCustomer {
  readonly country: string
  /** Whether the service took it. */
  readonly isStored: Promise<boolean>
}

/** The customers of the file as its latest lines have them; the only thing that grows with it. */
class Customers {
  private readonly known = new Map<string, KnownCustomer>()

  constructor(
    private readonly dossier: Dossier,
    private readonly tally: Tally,
  ) {}

  /** Called for one line after the other; resolves when the service has answered. */
  isStored(customer: Customer, line: number): Promise<boolean> {
    const { externalId, country } = customer
    const before = this.known.get(externalId)
    if (before?.country === country) return before.isStored
    const isStored = this.upsert(customer, line, before?.isStored)
    this.known.set(externalId, { country, isStored })
    return isStored
  }

  /** After the one before is answered for good: sent again later, it would undo this one. */
  private async upsert(
    customer: Customer,
    line: number,
    before: Promise<boolean> | undefined,
  ): Promise<boolean> {
    await before
    const outcome = await this.dossier.upsertCustomer(customer, line)
    this.tally.customers.add(outcome)
    return outcome.kind !== 'refused'
  }
}
