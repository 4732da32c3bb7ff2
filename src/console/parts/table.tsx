import type { ComponentChildren, JSX } from 'preact'

interface Props {
  /** Whether a long table scrolls inside the page. */
  readonly isTall?: boolean
  /** The cells of the table head: texts, `NumHead` or `WhenHead`. */
  readonly heads: readonly (string | JSX.Element)[]
  readonly children: ComponentChildren
}

/**
 * A table whose head stays visible. A table that is wider than the page scrolls. The arrow keys move the focus from the
 * link or button of one row to that of the next row.
 */
export function Table({ isTall = false, heads, children }: Props): JSX.Element {
  return (
    <div class={isTall ? 'wide tall' : 'wide'} tabIndex={isTall ? 0 : undefined}>
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
        <tbody
          onKeyDown={(event) => {
            if (moveToRow(event.currentTarget, event.key)) event.preventDefault()
          }}
        >
          {children}
        </tbody>
      </table>
    </div>
  )
}

const focusable = 'a[href], button:not(:disabled)'

/** Moves the focus to another row if the key is an arrow key. Returns whether it did. */
function moveToRow(body: HTMLElement, key: string): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  const active = document.activeElement
  if (step === undefined || active === null || !active.matches(focusable)) return false
  const rows = [...body.children].filter((row) => row.querySelector(focusable) !== null)
  const at = rows.findIndex((row) => row.contains(active))
  rows[at + step]?.querySelector<HTMLElement>(focusable)?.focus()
  return at !== -1
}
