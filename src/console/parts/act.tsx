import type { ComponentChildren, JSX } from 'preact'
import { permission, useSession, type Scope } from '../frame/session.js'

interface Props {
  readonly scope: Scope
  readonly children: ComponentChildren
  readonly isBusy?: boolean
  /** Left out: it sends its form. */
  readonly onClick?: () => void
}

/** A button of something that changes things; greyed, with the reason, where it may not be. */
export function Act({ scope, children, isBusy = false, onClick }: Props): JSX.Element {
  const may = permission(useSession(), scope)
  const why = {
    yes: undefined,
    locked: 'Locked: press “Unlock” at the top of the page first.',
    missing: `This key has not the scope “${scope}”.`,
  }[may]
  return (
    <span class="act">
      <button
        type={onClick === undefined ? 'submit' : 'button'}
        disabled={isBusy || may !== 'yes'}
        onClick={onClick}
      >
        {children}
      </button>
      {why !== undefined && <small class="muted"> {why}</small>}
    </span>
  )
}
