import type { JSX } from 'preact'
import { NumHead } from '../num-head.js'
import { shownNumber } from '../numbers.js'
import { Table } from '../table.js'

interface Props {
  /** The heading of the first column. */
  readonly head: string
  readonly names: readonly string[]
  readonly rows: readonly { readonly label: string; readonly values: readonly number[] }[]
}

/** The values of a chart as a table, for users who cannot see the chart or point at it. */
export function ValuesTable({ head, names, rows }: Props): JSX.Element {
  return (
    <details>
      <summary>Show as a table</summary>
      <Table
        isTall
        heads={[
          head,
          ...names.map((name) => (
            <NumHead key={name}>
              <bdi>{name}</bdi>
            </NumHead>
          )),
        ]}
      >
        {rows.map(({ label, values }) => (
          <tr key={label}>
            <td>{label}</td>
            {names.map((name, at) => (
              <td key={name} class="num">
                {shownNumber(values[at] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  )
}
