import type { ComponentChildren, JSX } from 'preact'

/** The heading of a column of numbers. */
export function NumHead({ children }: { children: ComponentChildren }): JSX.Element {
  return <th class="num">{children}</th>
}
