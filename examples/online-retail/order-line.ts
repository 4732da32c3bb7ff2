import { z } from 'zod'

/** A customer, which Dossier stores as an entity. */
export interface Customer {
  readonly externalId: string
  readonly country: string
}

/** One line of the shop's orders. */
export interface OrderLine {
  /** The line number in the file. The header is line 1. */
  readonly line: number
  /** Undefined when the shop did not know the customer. */
  readonly customer: Customer | undefined
  readonly invoice: string
  readonly description: string
  /** Negative for returned goods. */
  readonly quantity: number
  /** Quantity × price, in hundredths of the currency. */
  readonly cents: number
  /** The date and time in RFC 3339. */
  readonly orderedAt: string
}

/** The required columns. Other columns are ignored. */
export const columns = [
  'InvoiceNo',
  'StockCode',
  'Description',
  'Quantity',
  'InvoiceDate',
  'UnitPrice',
  'CustomerID',
  'Country',
] as const

// The decoder replaces bytes that are not UTF-8 by U+FFFD. The original characters are lost.
const text = z.string().refine((value) => !value.includes('\u{FFFD}'), 'is not UTF-8')
const wholeNumber = text.regex(/^-?[0-9]+$/, 'must be a whole number').transform(Number)
const price = text.regex(/^-?[0-9]+(\.[0-9]+)?$/, 'must be a number').transform(Number)
const filled = text.min(1, 'must not be empty')
// The times in the file have no zone. They are read as UTC.
const time = text
  .transform((value) => `${value.replace(' ', 'T')}Z`)
  .pipe(z.iso.datetime({ precision: 0, error: 'must be a time like 2010-12-01 08:26:00' }))

const orderRow = z.object({
  InvoiceNo: filled,
  StockCode: filled,
  Description: text,
  Quantity: wholeNumber,
  InvoiceDate: time,
  UnitPrice: price,
  CustomerID: text,
  Country: text,
})

/** The row is not an order. The message names the wrong columns, and never contains their values. */
export class RowInvalid extends Error {
  readonly code = 'row_invalid'
  override readonly name = 'RowInvalid'
}

/** Converts a row to an order line. Throws `RowInvalid`. */
export function toOrderLine(line: number, row: unknown): OrderLine {
  const read = orderRow.safeParse(row)
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
    throw new RowInvalid(faults.join('; '))
  }
  const { data } = read
  return {
    line,
    customer: customerIn(data.CustomerID, data.Country),
    invoice: data.InvoiceNo,
    description: data.Description,
    quantity: data.Quantity,
    cents: Math.round(data.Quantity * data.UnitPrice * 100),
    orderedAt: data.InvoiceDate,
  }
}

/** Returns the customer of a row. The file stores customer numbers as decimals, such as `17850.0`. */
function customerIn(id: string, country: string): Customer | undefined {
  if (id === '') return undefined
  return { externalId: id.replace(/^([0-9]+)\.0+$/, '$1'), country }
}
