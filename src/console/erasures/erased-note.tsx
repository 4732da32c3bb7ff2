import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { When } from '../parts/when.js'

/** Says that a person was erased, and at what time. */
export function ErasedNote({ at }: { at: string }): JSX.Element {
  return (
    <Card title="Erased">
      <p>
        This person was erased on <When at={at} plain />, and the id is blocked: nothing can be
        stored under it. See the <a href={addressOf(['erasures'])}>receipts of erasures</a>.
      </p>
    </Card>
  )
}
