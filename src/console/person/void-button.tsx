import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedEvent } from '../../client/dossier.js'
import { useScope } from '../frame/session.js'
import { Button } from '../parts/button.js'
import { Dialog } from '../parts/dialog.js'
import { visible } from '../parts/visible.js'
import { VoidQuestion } from './void-question.js'

interface Props {
  readonly person: string
  readonly event: ListedEvent
}

/** A button that voids an event after a question. A key that can only read sees no such button. */
export function VoidButton({ person, event }: Props): JSX.Element | null {
  const [isAsked, setAsked] = useState(false)
  const close = () => {
    setAsked(false)
  }
  if (!useScope('write') || event.voided_at !== undefined) return null
  return (
    <>
      <Button
        look="quiet"
        icon="no"
        label={`Void ${visible(event.name)}`}
        onClick={() => {
          setAsked(true)
        }}
      />
      {isAsked && (
        <Dialog title={`Void ${visible(event.name)}?`} onClose={close}>
          <VoidQuestion person={person} event={event} close={close} />
        </Dialog>
      )}
    </>
  )
}
