import type { ComponentChildren, JSX } from 'preact'

interface Props {
  /** Cells of the head: texts, or `WhenHead`. */
  readonly heads: readonly (string | JSX.Element)[]
  readonly children: ComponentChildren
}

/** Rows under their heads; what is too wide for the page is scrolled. */
export function Table({ heads, children }: Props): JSX.Element {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            {heads.map((head) =>
              head === '' ? <td /> : typeof head === 'string' ? <th key={head}>{head}</th> : head,
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
