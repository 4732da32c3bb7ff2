import type { Comparison, Side } from '../rows/paired.js'
import type { Report, RowReport } from './report.js'
import type { Spread } from './statistics.js'

const heads = [
  'row',
  'server',
  'facts/s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'database CPU µs',
  'RSS MB',
  'ratio min / median / max',
  'p99 ratio',
  'CPU ratio',
]

/** Formats the report as Markdown for people. */
export function tableOf({ date, surroundings, rows }: Report): string {
  const { node, system, cpu, cores, memoryGb, commit } = surroundings
  const where = `${cpu}, ${String(cores)} cores, ${String(memoryGb)} GB, ${system}, Node ${node}`
  const lines = rows.flatMap(({ id, result }) =>
    result?.comparison === undefined ? [] : comparisonLines(id, result.comparison),
  )
  return [
    `${date}, ${commit ?? 'no commit'}, ${where}`,
    '',
    ...(lines.length === 0 ? [] : [...aligned([heads, ...lines]), '']),
    ...rows.flatMap(remarks),
    '',
  ].join('\n')
}

function comparisonLines(id: string, comparison: Comparison): readonly string[][] {
  const { a, b, ratio, p99Ratio, cpuRatio } = comparison
  return [
    [id, ...cells(a), spread(ratio), spread(p99Ratio), spread(cpuRatio)],
    ['', ...cells(b), '', '', ''],
  ]
}

function cells({ name, perSecond, p50, p99, cpu, databaseCpu, rss }: Side): readonly string[] {
  return [name, ...[perSecond, p50, p99, cpu, databaseCpu, rss].map(short)]
}

function spread(value: Spread | undefined): string {
  if (value === undefined) return '–'
  return [value.min, value.median, value.max].map((ratio) => ratio.toFixed(2)).join(' / ')
}

function short(value: number | undefined): string {
  if (value === undefined) return '–'
  return value.toFixed(value < 100 ? 1 : 0)
}

function remarks({ id, outcome, reason, result }: RowReport): readonly string[] {
  const figures = result?.figures?.map(({ name, value, unit }) =>
    `${name} ${short(value)} ${unit}`.trimEnd(),
  )
  const texts = [
    ...(outcome === 'measured' ? [] : [`${outcome.toUpperCase()}: ${reason ?? ''}`]),
    ...(figures === undefined ? [] : [figures.join(', ')]),
    ...(result?.notes ?? []),
  ]
  return texts.map((text) => `- ${id}: ${text}`)
}

function aligned(table: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((_, at) => Math.max(...table.map((cells) => (cells[at] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => pad(cell, widths[at] ?? 0, at)).join(' | ')} |`
  const [head = [], ...rest] = table.map(line)
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [String(head), rule, ...rest]
}

function pad(cell: string, width: number, at: number): string {
  return at < 2 ? cell.padEnd(width) : cell.padStart(width)
}
