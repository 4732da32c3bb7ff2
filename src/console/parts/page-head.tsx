import type { ComponentChildren, JSX } from 'preact'

interface Props {
  readonly title: ComponentChildren
  /** Beside the title: a chip. */
  readonly mark?: ComponentChildren
  /** Above the title: links to the pages that this page belongs to. */
  readonly path?: ComponentChildren
  /** Below the title, in one line. */
  readonly sub?: ComponentChildren
  /** Buttons at the right, the primary one last. */
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
