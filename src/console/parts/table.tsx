import type { ComponentChildren, JSX } from 'preact'

interface Props {
  /** It is scrolled in itself where it is long. */
  readonly isTall?: boolean
  /** Cells of the head: texts, or `WhenHead`. */
  readonly heads: readonly (string | JSX.Element)[]
  readonly children: ComponentChildren
}

/** Rows under their heads; what is too wide for the page is scrolled. */
export function Table({ isTall, heads, children }: Props): JSX.Element {
  return (
    <div class={isTall === true ? 'wide tall' : 'wide'}>
      <table>
        <thead>
          <tr>
            {heads.map((head) =>
              typeof head === 'string' ? (
                <th key={head}>
                  <bdi>{head}</bdi>
                </th>
              ) : (
                head
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
