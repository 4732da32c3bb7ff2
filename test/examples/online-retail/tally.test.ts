import { describe, expect, test } from '@jest/globals'
import { printReport } from '../../../examples/online-retail/print-report.js'
import { tallyTable } from '../../../examples/online-retail/tally-table.js'
import { Tally } from '../../../examples/online-retail/tally.js'

function tallyOf(linesRead: number): Tally {
  const tally = new Tally()
  tally.linesRead = linesRead
  tally.withoutCustomer = 2
  tally.customers.add({ kind: 'created' })
  tally.customers.add({ kind: 'updated' })
  tally.linesDone = 5
  tally.orders.add({ kind: 'created' })
  tally.orders.add({ kind: 'replayed' })
  tally.orders.add({ kind: 'refused', code: 'validation_failed' })
  tally.orders.add({ kind: 'refused', code: 'forbidden' })
  tally.orders.add({ kind: 'refused', code: 'forbidden' })
  return tally
}

describe('the counts of a run', () => {
  test('are correct when every line has one outcome', () => {
    expect(tallyOf(7).fault()).toBeUndefined()
  })

  test.each([6, 8])('are wrong with %d lines read and 7 outcomes', (linesRead) => {
    expect(tallyOf(linesRead).fault()).toBe(
      `the account is wrong: ${String(linesRead)} lines were read, but 5 of orders + ` +
        '2 without a customer = 7',
    )
  })

  test('end the program with 2 when lines were refused, and with 1 and a reason when they are wrong', () => {
    const remarks: string[] = []
    const output = { result: () => undefined, remark: (line: string) => void remarks.push(line) }
    const codeOf = (tally: Tally) => printReport({ tally, seconds: 1 }, output)
    expect([codeOf(new Tally()), codeOf(tallyOf(7))]).toEqual([0, 2])
    expect(remarks).toEqual([])
    expect(codeOf(tallyOf(8))).toBe(1)
    expect(remarks).toEqual([expect.stringMatching(/^the account is wrong: 8 lines were read/)])
  })

  test('are shown as a table, with refusals by code', () => {
    expect(tallyTable(tallyOf(7), 1.26)).toBe(
      [
        'customers created           1',
        'customers updated           1',
        'customers replayed          0',
        'customers refused           0',
        'orders stored               1',
        'orders replayed             1',
        'orders refused              3',
        '  forbidden                 2',
        '  validation_failed         1',
        'lines without a customer    2',
        'lines read                  7',
        'seconds                   1.3',
        '',
      ].join('\n'),
    )
  })
})
