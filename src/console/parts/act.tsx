import type { ComponentChildren, JSX } from 'preact'
import { permission, useSession, type Scope } from '../frame/session.js'
import { Button, type Look } from './button.js'
import type { IconName } from './icon.js'

interface Props {
  readonly scope: Scope
  readonly children: ComponentChildren
  readonly look?: Look
  readonly icon?: IconName
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** Called for a click. If undefined, the button submits its form. */
  readonly onClick?: () => void
}

/**
 * A button that changes data. A key without the scope sees no button. While changes are locked, the button is disabled,
 * and a link beside the button unlocks them.
 */
export function Act(props: Props): JSX.Element | null {
  const { scope, children, look = 'primary', icon, isBusy = false, disabled = false } = props
  const session = useSession()
  const may = permission(session, scope)
  if (may === 'missing') return null
  return (
    <span class="act">
      <Button
        look={look}
        icon={icon}
        disabled={isBusy || disabled || may !== 'yes'}
        onClick={props.onClick}
      >
        {children}
      </Button>
      {may === 'locked' && (
        <button type="button" class="link" onClick={session.unlock}>
          <small>Allow changes in this tab</small>
        </button>
      )}
    </span>
  )
}
