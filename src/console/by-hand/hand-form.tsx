import type { ComponentChildren, JSX } from 'preact'
import type { Call } from '../parts/calls.js'
import { Act } from '../parts/act.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Outcome } from '../parts/outcome.js'
import type { Sent } from '../parts/sent.js'

interface Props {
  /** The text of the button. */
  readonly act: string
  readonly sent: Sent<object>
  /** Whether the typed text is invalid. If so, the form sends nothing. */
  readonly isWrong?: boolean
  /** The paths of the fields that show their own faults. */
  readonly paths: readonly string[]
  /** The request that the form sends. */
  readonly call: Call
  readonly children: ComponentChildren
}

/** Fields, the button that sends them, and the result. */
export function HandForm({ act, sent, isWrong, paths, call, children }: Props): JSX.Element {
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault()
        if (isWrong !== true) void sent.send()
      }}
    >
      {children}
      <div class="row">
        <Act scope="write" isBusy={sent.isBusy}>
          {act}
        </Act>
        <span class="push">
          <CopyMenu call={call} of="request" />
        </span>
      </div>
      <Outcome sent={sent} paths={paths} />
    </form>
  )
}
