import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'

/** What was bought, or cancelled, added up. */
export interface OrderSum {
  lines: number
  quantity: number
  pence: number
}

const rows = z.array(
  z.object({
    InvoiceNo: z.string(),
    Quantity: z.string(),
    InvoiceDate: z.string(),
    UnitPrice: z.string(),
    CustomerID: z.string(),
  }),
)

/** Sums by customer, day, and whether it was a cancellation. */
export class OrderSums {
  readonly sums = new Map<string, OrderSum>()

  get customers(): ReadonlySet<string> {
    return new Set([...this.sums.keys()].map((key) => key.split(' ')[0] ?? ''))
  }

  get lines(): number {
    return [...this.sums.values()].reduce((count, { lines }) => count + lines, 0)
  }

  add(customer: string, day: string, name: string, quantity: number, pence: number): void {
    const key = `${customer} ${day} ${name}`
    const sum = this.sums.get(key) ?? { lines: 0, quantity: 0, pence: 0 }
    this.sums.set(key, sum)
    sum.lines += 1
    sum.quantity += quantity
    sum.pence += pence
  }
}

/**
 * The sums of a file of orders, straight from its text: it shares nothing with the example, so that a
 * mistake in reading a line is not made twice.
 */
export function sumsInFile(path: string): OrderSums {
  const bytes = readFileSync(path)
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  const result = new OrderSums()
  for (const row of rows.parse(parse(text, { bom: true, columns: true }))) {
    const customer = row.CustomerID.split('.')[0] ?? ''
    if (customer === '') continue
    const day = row.InvoiceDate.slice(0, 'YYYY-MM-DD'.length)
    const name = row.InvoiceNo.startsWith('C') ? 'cancellation' : 'purchase'
    result.add(customer, day, name, Number(row.Quantity), penceOf(row.Quantity, row.UnitPrice))
  }
  return result
}

/** In whole numbers, but for a price that has fractions of a penny. */
function penceOf(quantity: string, price: string): number {
  const [pounds = '', decimals = ''] = price.split('.')
  const units = BigInt(quantity) * BigInt(pounds + decimals.padEnd(2, '0'))
  const divisor = 10 ** (Math.max(decimals.length, 2) - 2)
  return Math.round(Number(units) / divisor)
}
