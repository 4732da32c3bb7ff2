import type { ComponentChildren, JSX } from 'preact'
import { Act } from '../parts/act.js'
import type { Sent } from '../parts/sent.js'
import { Outcome } from '../parts/outcome.js'

interface Props {
  readonly title: string
  /** What the button says. */
  readonly act: string
  readonly sent: Sent<object>
  /** Something typed is wrong already: nothing is sent. */
  readonly isWrong?: boolean
  /** Paths of the fields that show what is wrong with them. */
  readonly paths: readonly string[]
  readonly children: ComponentChildren
}

/** Fields, the button that sends them, and what became of it. */
export function HandForm({ title, act, sent, isWrong, paths, children }: Props): JSX.Element {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isWrong !== true) void sent.send()
      }}
    >
      <h3>{title}</h3>
      {children}
      <Act scope="write" isBusy={sent.isBusy}>
        {act}
      </Act>
      <Outcome sent={sent} paths={paths} />
    </form>
  )
}
