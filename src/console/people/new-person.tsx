import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { OwnTimeField } from '../by-hand/own-time-field.js'
import { ownTime } from '../by-hand/typed-values.js'
import { addressOf, go } from '../frame/route.js'
import { useScope, useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Button } from '../parts/button.js'
import { Dialog } from '../parts/dialog.js'
import { faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { Outcome } from '../parts/outcome.js'
import { useSent } from '../parts/sent.js'

/** The button that creates a person. A key that can only read has no such button. */
export function NewPerson(): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  if (!useScope('write')) return null
  return (
    <>
      <Button
        look="primary"
        icon="plus"
        onClick={() => {
          setOpen(true)
        }}
      >
        New person
      </Button>
      {isOpen && (
        <Dialog
          title="New person"
          onClose={() => {
            setOpen(false)
          }}
        >
          <NewPersonForm />
        </Dialog>
      )}
    </>
  )
}

function NewPersonForm(): JSX.Element {
  const { client } = useSession()
  const [id, setId] = useState('')
  const [time, setTime] = useState('')
  const entity = ownTime(time)
  const sent = useSent(
    JSON.stringify([id, entity]),
    (options) => client.entities.create(id, entity, options),
    () => {
      go(addressOf(['people', id]))
    },
  )
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault()
        void sent.send()
      }}
    >
      <Field
        label="Id: your own name for this person"
        value={id}
        set={setId}
        required
        faults={faultsAt(sent.error, '/external_id')}
        placeholder="customer-42"
      />
      <OwnTimeField label="Came to be at" value={time} set={setTime} error={sent.error} />
      <Act scope="write" isBusy={sent.isBusy}>
        Create
      </Act>
      {sent.error !== undefined && <Outcome sent={sent} paths={['/external_id', '/occurred_at']} />}
    </form>
  )
}
