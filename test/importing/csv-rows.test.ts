import { expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { CsvRows, type CsvRow } from '../../src/importing/csv-rows.js'
import { Lines, maxLineBytes } from '../../src/importing/lines.js'
import { quickOrThorough } from '../support/thoroughness.js'

/** Returns the rows of a text that arrives in pieces of `pieceBytes`. */
function rowsOf(bytes: Buffer, pieceBytes = 65_536): readonly CsvRow[] {
  const lines = new Lines()
  const rows = new CsvRows(',')
  const found: (CsvRow | undefined)[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const line of lines.take(bytes.subarray(at, at + pieceBytes))) found.push(rows.take(line))
  }
  for (const line of lines.end()) found.push(rows.take(line))
  return [...found, rows.end()].filter((row) => row !== undefined)
}

const read = (text: string) => rowsOf(Buffer.from(text))
const fieldsOf = (rows: readonly CsvRow[]) =>
  rows.map(({ fields }) => fields.map((one) => one ?? ''))

const field = fc.string({
  unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r\n', ' ', ';'),
  maxLength: 6,
})

function written(fields: readonly string[]): string {
  return fields
    .map((one) => (/[",\r\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one))
    .join(',')
}

it('RFC 4180 files are read like by another reader, however the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      (table, end, isEnded, pieceBytes) => {
        const text = table.map(written).join(end) + (isEnded ? end : '')
        const theirs: string[][] = parse(text, { relax_column_count: true, record_delimiter: end })
        expect(fieldsOf(rowsOf(Buffer.from(text), pieceBytes))).toEqual(theirs)
        expect(theirs).toEqual(table)
      },
    ),
    { numRuns: quickOrThorough({ quick: 100, thorough: 20_000 }) },
  )
})

it('rows that end with carriage returns are read, however the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      (table, isEnded, pieceBytes) => {
        const text = ['a,b', ...table.map(written)].join('\r') + (isEnded ? '\r' : '')
        const cells = table.map((row) => row.map((one) => one.replaceAll('\r\n', '\n')))
        const read = rowsOf(Buffer.from(text), pieceBytes)
        expect(fieldsOf(read)).toEqual([['a', 'b'], ...cells])
      },
    ),
    { numRuns: quickOrThorough({ quick: 100, thorough: 20_000 }) },
  )
})

it('an empty field differs from an empty quoted field', () => {
  expect(read('a,,""\n,')).toMatchObject([{ fields: ['a', null, ''] }, { fields: [null, null] }])
})

it('a row has the number of its first line, and its unchanged text', () => {
  const rows = read('a,"b\nc"\nd,e\n')
  expect(rows).toMatchObject([
    { line: 1, text: 'a,"b\nc"', fields: ['a', 'b\nc'] },
    { line: 3, text: 'd,e', fields: ['d', 'e'] },
  ])
})

it.each(['a\rb,c', 'a\0b,c', 'a"b,c', '"a"b,c', '"a" ,c'])(
  '%j is refused, and reading continues with the next line',
  (row) => {
    expect(read(`a,b\n${row}\nd,e`)).toMatchObject([
      { line: 1 },
      { line: 2, text: row, fault: { code: 'malformed_csv' } },
      { line: 3, fields: ['d', 'e'], fault: undefined },
    ])
  },
)

it('a quoted field that is open at the end of the file is refused', () => {
  expect(read('a,b\nc,"d\ne,f\n')).toMatchObject([
    { fields: ['a', 'b'] },
    { line: 2, fault: { code: 'malformed_csv' } },
  ])
})

it('no part of a refused row is read as another row', () => {
  const latin1 = Buffer.from('a,"\xe9\nbob,b\n"\nd,e', 'latin1')
  const long = Buffer.from(`a,"${'x'.repeat(maxLineBytes)}\nbob,b\n"\nd,e`)
  const lone = Buffer.from('a"b,"\nbob,b\n"\nd,e')
  for (const [bytes, code] of [
    [latin1, 'not_utf8'],
    [long, 'line_too_long'],
    [lone, 'malformed_csv'],
  ] as const) {
    expect(rowsOf(bytes)).toMatchObject([
      { line: 1, fault: { code } },
      { line: 4, fields: ['d', 'e'], fault: undefined },
    ])
  }
})

it('a row above the limit of a line is refused, over any number of lines', () => {
  const lines = Math.ceil(maxLineBytes / 1_000)
  const rows = read(`"${`${'x'.repeat(999)}\n`.repeat(lines)}"\nd\n`)
  expect(rows).toMatchObject([
    { line: 1, text: undefined, fault: { code: 'line_too_long' } },
    { line: lines + 2, fields: ['d'] },
  ])
})
