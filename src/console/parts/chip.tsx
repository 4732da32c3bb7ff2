import type { ComponentChildren, JSX } from 'preact'
import { Icon, type IconName } from './icon.js'

export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad'

interface Props {
  readonly children: ComponentChildren
  readonly tone?: Tone
  readonly icon?: IconName
}

/** A short state or label. Its colour only repeats what its words say. */
export function Chip({ children, tone = 'plain', icon }: Props): JSX.Element {
  return (
    <span class={`chip ${tone}`}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </span>
  )
}
