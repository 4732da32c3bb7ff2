import type { JSX } from 'preact'
import { Icon } from '../parts/icon.js'
import { healthOf } from './health-of.js'
import { useStatus } from './use-status.js'

/** The state of the process in one line, and its version. */
export function Health(): JSX.Element {
  const { value, error } = useStatus()
  if (value === undefined || error !== undefined) {
    return <p class="health">{error === undefined ? '' : 'The state of the service is unknown.'}</p>
  }
  const { tone, words } = healthOf(value)
  return (
    <p class="health">
      <span class={tone}>
        <Icon name={tone === 'good' ? 'yes' : 'alert'} /> {words}
      </span>
      <br />
      {value.store_kind} · {value.version}
    </p>
  )
}
