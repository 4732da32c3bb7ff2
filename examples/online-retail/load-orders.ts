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
 * Sends every line: its customer first, once for the whole file, then its event. `inFlight` workers
 * take lines from the one source, each with one request at a time, so that is the bound on requests
 * and on memory alike. The first error ends the source, and with it every worker after its request;
 * `callOff` is told at once, to cut those short.
 */
export async function loadOrders(
  orders: AsyncGenerator<OrderLine>,
  dossier: Dossier,
  tally: Tally,
  { inFlight, lineDone, callOff }: LoadOptions,
): Promise<void> {
  const customers = new Customers(dossier, tally)
  let first: Error | undefined
  const work = async (): Promise<void> => {
    try {
      for await (const order of orders) {
        tally.linesRead += 1
        await sendLine(order, customers, dossier, tally)
        lineDone(order.line)
      }
    } catch (error) {
      first ??= error instanceof Error ? error : new Error(errorText(error), { cause: error })
      callOff(first)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  if (first !== undefined) throw first
}

export interface LoadOptions {
  readonly inFlight: number
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
  const outcome: Outcome = (await customers.isPresent(customer))
    ? await dossier.recordEvent(customer, order)
    : { kind: 'refused', code: customerRefused }
  tally.events.add(outcome)
}

/** The customers of the file; the only thing that grows with it. */
class Customers {
  private readonly known = new Map<string, Promise<boolean>>()

  constructor(
    private readonly dossier: Dossier,
    private readonly tally: Tally,
  ) {}

  /** Creates the customer when the file names it first; resolves once the service has answered. */
  isPresent(customer: Customer): Promise<boolean> {
    const { externalId } = customer
    const known = this.known.get(externalId) ?? this.create(customer)
    this.known.set(externalId, known)
    return known
  }

  private async create(customer: Customer): Promise<boolean> {
    const outcome = await this.dossier.createCustomer(customer)
    // Another file, or someone else, created it: that is as good.
    if (outcome.kind === 'refused' && outcome.code === 'entity_exists') {
      this.tally.customersAlreadyThere += 1
      return true
    }
    this.tally.customers.add(outcome)
    return outcome.kind !== 'refused'
  }
}
