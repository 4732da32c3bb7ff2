import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { Text } from '../parts/id.js'

/** Says that no id matches. A link leads to the page of the id, where the user can create the person. */
export function NotFound({ id }: { id: string }): JSX.Element {
  return (
    <Card title="Ids">
      <p class="sub">
        No id begins with this text.{' '}
        <a href={addressOf(['people', id])}>
          Look at <Text text={id} />
        </a>{' '}
        to see whether the person was erased, or to create them.
      </p>
    </Card>
  )
}
