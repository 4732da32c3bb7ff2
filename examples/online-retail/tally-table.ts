import type { Outcomes, Tally } from './tally.js'

type Row = readonly [label: string, value: string]

/** Formats the counts of a run as a table, one line each. */
export function tallyTable(tally: Tally, seconds: number): string {
  const { customers, orders } = tally
  const rows: readonly Row[] = [
    row('customers created', customers.created),
    row('customers updated', customers.updated),
    row('customers replayed', customers.replayed),
    ...refusals('customers refused', customers),
    row('orders stored', orders.created),
    row('orders replayed', orders.replayed),
    ...refusals('orders refused', orders),
    row('lines without a customer', tally.withoutCustomer),
    row('lines read', tally.linesRead),
    ['seconds', seconds.toFixed(1)],
  ]
  const labels = Math.max(...rows.map(([label]) => label.length))
  const values = Math.max(...rows.map(([, value]) => value.length))
  return rows
    .map(([label, value]) => `${label.padEnd(labels)}  ${value.padStart(values)}\n`)
    .join('')
}

function refusals(label: string, outcomes: Outcomes): readonly Row[] {
  const codes = [...outcomes.refused].sort(([left], [right]) => left.localeCompare(right))
  return [row(label, outcomes.allRefused), ...codes.map(([code, count]) => row(`  ${code}`, count))]
}

function row(label: string, value: number): Row {
  return [label, String(value)]
}
