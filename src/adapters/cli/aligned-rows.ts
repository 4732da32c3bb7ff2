export type Row = readonly [label: string, value: string]

/** Formats rows as lines of a label and a value. Right-aligns numbers, and starts all texts in one column. */
export function alignedRows(numbers: readonly Row[], texts: readonly Row[]): string {
  const labels = Math.max(...[...numbers, ...texts].map(([label]) => label.length))
  const values = Math.max(...numbers.map(([, value]) => value.length))
  return [
    ...numbers.map(([label, value]) => `${label.padEnd(labels)}  ${value.padStart(values)}\n`),
    ...texts.map(([label, value]) => `${label.padEnd(labels)}  ${value}\n`),
  ].join('')
}
