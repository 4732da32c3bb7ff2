import type { ComponentChildren, JSX } from 'preact'

interface Props {
  readonly title: ComponentChildren
  /** A chip beside the title. */
  readonly mark?: ComponentChildren
  /** Links above the title, to the pages that contain this page. */
  readonly path?: ComponentChildren
  /** A line below the title. */
  readonly sub?: ComponentChildren
  /** Buttons at the right. The primary button is the last one. */
  readonly children?: ComponentChildren
}

/** The head of a page: its title, and its actions at the right. */
export function PageHead({ title, mark, path, sub, children }: Props): JSX.Element {
  return (
    <div class="head">
      <div>
        {path !== undefined && <div class="sub">{path}</div>}
        <div class="title">
          <h1>{title}</h1>
          {mark}
        </div>
        {sub !== undefined && <div class="sub">{sub}</div>}
      </div>
      {children}
    </div>
  )
}
