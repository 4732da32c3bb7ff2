import type { JSX } from 'preact'

/** A link that stops a running search. */
export function StopLink({ stop }: { stop: () => void }): JSX.Element {
  return (
    <button type="button" class="link" onClick={stop}>
      Stop
    </button>
  )
}
