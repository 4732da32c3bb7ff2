import type { JSX } from 'preact'
import { Empty } from '../../parts/empty.js'

/** Replaces an empty list of webhooks. */
export function NoWebhook(): JSX.Element {
  return (
    <Empty title="No webhook yet" icon="webhook">
      <p>
        A webhook sends facts to a URL of yours, in order and signed: somebody entered a segment, an
        event was recorded, a person was erased.
      </p>
    </Empty>
  )
}
