import { describe, expect, test } from '@jest/globals'
import { toOrderLine, type OrderLine } from '../../../examples/online-retail/order-line.js'
import { daysUntilYesterday, ordersIn, type Order } from '../../../examples/online-retail/orders.js'

/** Lines as `1 A 17850 2010-12-01 3 0.10`: invoice, stock code, customer (or -), day, quantity, price. */
async function* linesOf(...texts: readonly string[]): AsyncGenerator<OrderLine> {
  for (const [index, text] of texts.entries()) {
    const [InvoiceNo, StockCode, customer, day = '', Quantity, UnitPrice] = text.split(' ')
    const CustomerID = customer === '-' ? '' : customer
    const InvoiceDate = `${day} 08:26:00`
    const row = { InvoiceNo, StockCode, Description: 'LAMP', Quantity, InvoiceDate, UnitPrice }
    yield await Promise.resolve(toOrderLine(index + 2, { ...row, CustomerID, Country: 'France' }))
  }
}

async function ordersOf(texts: readonly string[], movedDays = 0): Promise<readonly Order[]> {
  const orders: Order[] = []
  for await (const order of ordersIn(linesOf(...texts), movedDays)) orders.push(order)
  return orders
}

describe('the orders of a file', () => {
  test('are its invoices, with their items and the sum of their lines', async () => {
    const orders = await ordersOf([
      '1 A 17850.0 2010-12-01 3 0.10',
      '1 B 17850.0 2010-12-01 1 2.55',
      '1 A 17850.0 2010-12-01 2 0.10',
      'C2 A 17850.0 2010-12-02 -1 0.10',
    ])
    expect(orders).toEqual([
      {
        line: 2,
        lines: 3,
        customer: { externalId: '17850', country: 'France' },
        event: {
          name: 'purchase',
          properties: { invoice: '1', total: 3.05, items: 6, lines: 3 },
          occurred_at: '2010-12-01T08:26:00Z',
        },
      },
      {
        line: 5,
        lines: 1,
        customer: { externalId: '17850', country: 'France' },
        event: {
          name: 'cancellation',
          properties: { invoice: 'C2', total: -0.1, items: -1, lines: 1 },
          occurred_at: '2010-12-02T08:26:00Z',
        },
      },
    ])
  })

  test('have one customer each, or none when the shop did not know the customer', async () => {
    const orders = await ordersOf([
      '1 A - 2010-12-01 1 1',
      '1 A 1 2010-12-01 1 1',
      '1 A 2 2010-12-01 1 1',
    ])
    expect(orders.map(({ customer, line }) => [customer?.externalId, line])).toEqual([
      [undefined, 2],
      ['1', 3],
      ['2', 4],
    ])
  })

  test('can be shifted by days, so that the last order is from yesterday', async () => {
    const texts = ['1 A 1 2010-12-20 1 1', '2 A 1 2010-12-03 1 1']
    const now = Date.parse('2026-11-25T00:00:01Z')
    const days = await daysUntilYesterday(linesOf(...texts), now)
    const times = (await ordersOf(texts, days)).map(({ event }) => event.occurred_at)
    expect(times).toEqual(['2026-11-24T08:26:00.000Z', '2026-11-07T08:26:00.000Z'])
    expect(await daysUntilYesterday(linesOf(), now)).toBe(0)
  })
})
