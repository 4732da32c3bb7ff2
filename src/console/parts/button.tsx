import type { ComponentChildren, JSX } from 'preact'
import { Icon, type IconName } from './icon.js'

export type Look = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps {
  readonly children?: ComponentChildren
  readonly look?: Look
  readonly icon?: IconName | undefined
  /** The name of a button without text. */
  readonly label?: string
  readonly disabled?: boolean
  readonly isPressed?: boolean
  /** Called for a click. If undefined, the button submits its form. */
  readonly onClick?: (() => void) | undefined
}

/** A button. Use one `primary` button per page, and `danger` only for an action that cannot be undone. */
export function Button(props: ButtonProps): JSX.Element {
  const { children, look = 'plain', icon, label, disabled, isPressed, onClick } = props
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      class={`button ${look}${children === undefined ? ' square' : ''}`}
      aria-label={label}
      aria-pressed={isPressed}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}
