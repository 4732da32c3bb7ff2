import { isGood, type Row } from './scenario.js'

const heads = [
  'scenario',
  'store',
  'tried',
  'acknowledged',
  'found',
  'doubled',
  'lost',
  'wrong',
  'crashed',
]

/** Formats the rows as a table of numbers, followed by remarks about each row. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf)
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)),
  )
  const lines = [heads, ...cells].map((row) =>
    row.map((cell, at) => padded(cell, widths[at] ?? 0, at)).join('  '),
  )
  return `${lines.join('\n')}\n\n${rows.map(remarksOn).join('')}`
}

function cellsOf(row: Row): readonly string[] {
  const { tried, acknowledged, found, doubled, lost, wrong, crashed } = row
  const numbers = [tried, acknowledged, found, doubled, lost, wrong, crashed]
  const told = row.skipped === undefined ? numbers.map(String) : numbers.map(() => '-')
  return [row.scenario, row.store, ...told]
}

function padded(cell: string, width: number, at: number): string {
  return at < 2 ? cell.padEnd(width) : cell.padStart(width)
}

function remarksOn(row: Row): string {
  const { scenario, store, skipped, notes, faults } = row
  const verdict = skipped === undefined ? (isGood(row) ? 'good' : 'BAD') : `skipped: ${skipped}`
  const said = [...notes, ...faults.map((fault) => `! ${fault}`)]
  return `${scenario}, ${store}: ${verdict}\n${said.map((text) => `  ${text}\n`).join('')}`
}
