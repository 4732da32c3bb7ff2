import type { JSX } from 'preact'
import { healthOf } from '../frame/health-of.js'
import { useStatus } from '../frame/use-status.js'
import { Chip } from '../parts/chip.js'

/** The state of the service in one line. */
export function HealthChip(): JSX.Element | null {
  const { value, error } = useStatus()
  if (error !== undefined) return <Chip tone="warn">The state of the service is unknown</Chip>
  if (value === undefined) return null
  const { tone, words } = healthOf(value)
  return (
    <Chip tone={tone} icon={tone === 'good' ? 'yes' : 'alert'}>
      {words}
    </Chip>
  )
}
