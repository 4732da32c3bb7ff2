import type { ComponentChildren, JSX } from 'preact'

interface Props {
  /** It scrolls by itself where it is long. */
  readonly isTall?: boolean
  /** Cells of the head: texts, `NumHead` or `WhenHead`. */
  readonly heads: readonly (string | JSX.Element)[]
  /** Rows. */
  readonly children: ComponentChildren
}

/**
 * Rows under a head that stays in sight. A table that is too wide for the page scrolls. The arrow keys move the
 * focus from the link or button of one row to the one of the next row.
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

/** Whether the key moves the focus to another row. */
function moveToRow(body: HTMLElement, key: string): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  const active = document.activeElement
  if (step === undefined || active === null || !active.matches(focusable)) return false
  const rows = [...body.children].filter((row) => row.querySelector(focusable) !== null)
  const at = rows.findIndex((row) => row.contains(active))
  rows[at + step]?.querySelector<HTMLElement>(focusable)?.focus()
  return at !== -1
}
