import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useScope, useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Card } from '../parts/card.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { EraseQuestion } from './erase-question.js'

/** The button that erases a person. It first asks the service what would be removed. */
export function EraseForm({ id }: { id: string }): JSX.Element | null {
  const { client } = useSession()
  const [isAsked, setAsked] = useState(false)
  const tried = useSent(
    id,
    () => client.erasures.dryRun(id),
    () => {
      setAsked(true)
    },
  )
  if (!useScope('erase')) return null
  return (
    <Card title="Erase">
      <p class="soft above">Removes everything that is stored about this person, for good.</p>
      <Act
        scope="erase"
        look="danger"
        icon="trash"
        isBusy={tried.isBusy}
        onClick={() => void tried.send()}
      >
        Erase …
      </Act>
      <Trouble error={tried.error} isSent />
      {isAsked && tried.value !== undefined && (
        <EraseQuestion
          id={id}
          would={tried.value}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </Card>
  )
}
