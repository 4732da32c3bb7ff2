import type { ComponentChildren, JSX } from 'preact'

interface Props {
  readonly title: ComponentChildren
  /** A note after the title, in grey: `last 30 days`. */
  readonly note?: ComponentChildren
  /** One link or control at the right of the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A framed part of a page with a title. */
export function Card({ title, note, aside, children }: Props): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{title}</h2>
        {note !== undefined && <small>{note}</small>}
        {aside !== undefined && aside !== false && <span class="aside">{aside}</span>}
      </header>
      {children}
    </section>
  )
}
