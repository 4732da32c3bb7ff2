import { describe, expect, test } from '@jest/globals'
import { RowInvalid, toOrderLine } from '../../../examples/online-retail/order-line.js'

const row = {
  InvoiceNo: '536365',
  StockCode: '85123A',
  Description: 'WHITE HANGING HEART T-LIGHT HOLDER',
  Quantity: '6',
  InvoiceDate: '2010-12-01 08:26:00',
  UnitPrice: '2.55',
  CustomerID: '17850.0',
  Country: 'United Kingdom',
}

describe('a row of the file', () => {
  test('becomes a line of its customer', () => {
    expect(toOrderLine(2, row)).toEqual({
      line: 2,
      customer: { externalId: '17850', country: 'United Kingdom' },
      invoice: '536365',
      description: 'WHITE HANGING HEART T-LIGHT HOLDER',
      quantity: 6,
      cents: 1_530,
      orderedAt: '2010-12-01T08:26:00Z',
    })
  })

  test.each([
    ['17850.0', '17850'],
    ['17850', '17850'],
    ['17850.00', '17850'],
    ['17850.5', '17850.5'],
    ['A.0', 'A.0'],
  ])('names customer %s as %s', (given, externalId) => {
    expect(toOrderLine(2, { ...row, CustomerID: given }).customer).toMatchObject({ externalId })
  })

  test('has no customer when the column is empty', () => {
    expect(toOrderLine(2, { ...row, CustomerID: '' }).customer).toBeUndefined()
  })

  test.each(['', 'Gift Voucher £40.00', ' padded '])(
    'keeps its description as it is: "%s"',
    (text) => {
      expect(toOrderLine(2, { ...row, Description: text }).description).toBe(text)
    },
  )

  test.each([
    ['Quantity', 'six', 'Quantity must be a whole number'],
    ['Quantity', '1.5', 'Quantity must be a whole number'],
    ['UnitPrice', '', 'UnitPrice must be a number'],
    ['UnitPrice', '0x10', 'UnitPrice must be a number'],
    ['InvoiceNo', '', 'InvoiceNo must not be empty'],
    ['InvoiceDate', '2010-02-29 08:26:00', 'InvoiceDate must be a time like 2010-12-01 08:26:00'],
    ['InvoiceDate', '12/1/2010 8:26', 'InvoiceDate must be a time like 2010-12-01 08:26:00'],
    ['InvoiceDate', '2010-12-01 08:26', 'InvoiceDate must be a time like 2010-12-01 08:26:00'],
    ['Description', 'Gift Voucher \u{FFFD}40.00', 'Description is not UTF-8'],
  ])('is refused with %s "%s"', (column, value, message) => {
    expect(() => toOrderLine(2, { ...row, [column]: value })).toThrow(new RowInvalid(message))
  })
})
