import type { ComponentChildren, JSX } from 'preact'
import { Icon, type IconName } from './icon.js'

interface Props {
  readonly title: ComponentChildren
  readonly icon?: IconName
  /** One or two sentences and one action. */
  readonly children?: ComponentChildren
}

/** Replaces an empty list: says why it is empty, and what to do. */
export function Empty({ title, icon, children }: Props): JSX.Element {
  return (
    <div class="empty">
      {icon !== undefined && <Icon name={icon} />}
      <b>{title}</b>
      {children}
    </div>
  )
}
