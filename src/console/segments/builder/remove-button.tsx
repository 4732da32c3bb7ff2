import type { JSX } from 'preact'
import { Icon } from '../../parts/icon.js'

/** A cross that removes a row, a test or a value. */
export function RemoveButton({
  label,
  onClick,
}: {
  label: string
  onClick: () => void
}): JSX.Element {
  return (
    <button type="button" class="remove" aria-label={label} title={label} onClick={onClick}>
      <Icon name="close" />
    </button>
  )
}
