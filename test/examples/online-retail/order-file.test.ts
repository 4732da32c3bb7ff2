import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { shopOrders } from '../../../examples/online-retail/options.js'
import { inspectOrderFile, readOrderLines } from '../../../examples/online-retail/order-file.js'
import type { OrderLine } from '../../../examples/online-retail/order-line.js'

const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
const good = '1,A,LAMP,6,2010-12-01 08:26:00,2.55,17850.0,France\n'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orders-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

function fileOf(content: string | Buffer, name = 'orders.csv'): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function linesOf(path: string): Promise<readonly OrderLine[]> {
  const lines: OrderLine[] = []
  for await (const line of readOrderLines(await inspectOrderFile(path))) lines.push(line)
  return lines
}

describe('a file of orders', () => {
  test('is read line by line, each with its number', async () => {
    const lines = await linesOf(fileOf(header + good + good))
    expect(lines.map(({ line }) => line)).toEqual([2, 3])
  })

  test('has one digest, packed or not, and the same lines', async () => {
    const text = header + good + good
    const plain = fileOf(text)
    const packed = fileOf(gzipSync(text), 'orders.csv.gz')
    const digest = createHash('sha256').update(text).digest('hex')
    expect(await inspectOrderFile(plain)).toEqual({ path: plain, digest, lines: 2 })
    expect(await inspectOrderFile(packed)).toEqual({ path: packed, digest, lines: 2 })
    expect(await linesOf(packed)).toEqual(await linesOf(plain))
  })

  test('may begin with a byte order mark, hold quotes, and end without a new line', async () => {
    const last = '2,B,"A ""BIG"", RED\nLAMP",1,2010-12-01 08:27:00,1,,France'
    const lines = await linesOf(fileOf(`\u{FEFF}${header}${good}${last}`))
    expect(lines.map(({ description }) => description)).toEqual(['LAMP', 'A "BIG", RED\nLAMP'])
  })

  test.each([
    ['a row with a column too few', `${header}${good}1,A,LAMP,6\n`, /line 3: .*expect|line 3: .*8/],
    ['a row with a column too many', `${header}${good.trim()},x\n`, /line 2: .*8, got 9/],
    ['no header', good + good, /line 1: the header lacks InvoiceNo, /],
    ['a header without one column', header.replace(',Country', ''), /line 1: .* lacks Country$/],
    ['nothing in it', '', /line 1: the header is missing/],
    [
      'a number that is none',
      header + good + good.replace(',6,', ',six,'),
      /line 3: Quantity must/,
    ],
    ['a quote in the wrong place', `${header}1,A,"LA"MP,6,x,1,,France\n`, /line 2: /],
  ])('with %s is refused with the line', async (_what, content, message) => {
    await expect(linesOf(fileOf(content))).rejects.toMatchObject({
      code: 'order_file_invalid',
      message: expect.stringMatching(message),
    })
  })

  test('with an unclosed quote is refused before it fills the memory', async () => {
    const content = `${header}1,A,"LAMP,6,x,1,,France\n${good.repeat(5_000)}`
    await expect(linesOf(fileOf(content))).rejects.toThrow(/record exceed|Max Record Size/i)
  })

  test('in Latin-1 is refused, because its characters would be lost', async () => {
    const content = Buffer.from(header + good.replace('LAMP', 'LAMP £4'), 'latin1')
    await expect(linesOf(fileOf(content))).rejects.toThrow('line 2: Description is not UTF-8')
  })

  test('that is missing or not gzip is refused', async () => {
    await expect(linesOf(join(folder, 'none.csv'))).rejects.toThrow(/none\.csv cannot be read/)
    const broken = fileOf('no gzip', 'broken.csv.gz')
    await expect(linesOf(broken)).rejects.toMatchObject({ code: 'order_file_invalid' })
  })

  test('that changes between the digest and the reading is refused', async () => {
    const path = fileOf(header + good)
    const file = await inspectOrderFile(path)
    writeFileSync(path, header + good + good)
    const read = async () => {
      for await (const _line of readOrderLines(file));
    }
    await expect(read()).rejects.toThrow(/changed while it was read/)
  })
})

test('the orders of the example contain every kind of line', async () => {
  const lines = await linesOf(shopOrders)
  const count = (is: (line: OrderLine) => boolean) => lines.filter(is).length
  expect({
    all: lines.length,
    withoutCustomer: count(({ customer }) => customer === undefined),
    customers: new Set(lines.flatMap(({ customer }) => customer?.externalId ?? [])).size,
    cancelled: count(({ invoice }) => invoice.startsWith('C')),
    undescribed: count(({ description }) => description === ''),
    pounds: count(({ description }) => description.includes('£')),
  }).toEqual({
    all: 6211,
    withoutCustomer: 850,
    customers: 154,
    cancelled: 180,
    undescribed: 6,
    pounds: 1,
  })
})
