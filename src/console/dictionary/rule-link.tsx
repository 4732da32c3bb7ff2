import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { useScope } from '../frame/session.js'

interface Props {
  readonly event?: string | undefined
  /** The JSON Pointer of the property. */
  readonly property?: string
}

/** A link that begins a rule with an event or with a property of people. */
export function RuleLink({ event, property }: Props): JSX.Element {
  const words = useScope('segments') ? 'New segment' : 'Try a rule'
  return <a href={addressOf(['segments', '+'], { event, property })}>{words}</a>
}
