import type { JSX } from 'preact'

/** Stops a search that is still looking at people. */
export function StopLink({ stop }: { stop: () => void }): JSX.Element {
  return (
    <button type="button" class="link" onClick={stop}>
      Stop
    </button>
  )
}
