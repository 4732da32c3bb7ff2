import type { JSX } from 'preact'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import type { LeaveGuard } from './use-leave-guard.js'

interface Props {
  readonly guard: LeaveGuard
  readonly discard: () => void
}

/** Asks before the user leaves the page of an unsaved rule. */
export function LeaveQuestion({
  guard: { target, leave, stay },
  discard,
}: Props): JSX.Element | null {
  if (target === undefined) return null
  return (
    <Dialog title="This rule is not saved" onClose={stay}>
      <p>You can leave and come back to it: it stays in this tab until you close the tab.</p>
      <div class="row buttons">
        <Button look="primary" onClick={leave}>
          Leave, keep the rule
        </Button>
        <Button
          onClick={() => {
            discard()
            leave()
          }}
        >
          Discard the rule
        </Button>
        <Button onClick={stay}>Stay here</Button>
      </div>
    </Dialog>
  )
}
