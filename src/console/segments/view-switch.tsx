import type { JSX } from 'preact'

interface Props {
  readonly view: 'builder' | 'json'
  readonly showRows: () => void
  readonly showJson: () => void
}

/** A switch between the two views of a rule. */
export function ViewSwitch({ view, showRows, showJson }: Props): JSX.Element {
  return (
    <span class="switch" role="group" aria-label="View of the rule">
      <button type="button" aria-pressed={view === 'builder'} onClick={showRows}>
        Builder
      </button>
      <button type="button" aria-pressed={view === 'json'} onClick={showJson}>
        JSON
      </button>
    </span>
  )
}
