import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DossierError, ListedEvent } from '../../client/dossier.js'
import { step, withQuery } from '../../client/requests.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { Button } from '../parts/button.js'
import { literal } from '../parts/calls.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { areAllPlaced, faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { Text } from '../parts/id.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { ValueLine } from '../parts/value-line.js'
import { valueWords } from '../parts/value-words.js'
import { When } from '../parts/when.js'

interface Props {
  readonly person: string
  readonly event: ListedEvent
  readonly close: () => void
}

/** Asks before an event is voided. The question repeats the event and explains a void. */
export function VoidQuestion({ person, event, close }: Props): JSX.Element {
  const { client, answers } = useSession()
  const [reason, setReason] = useState('')
  const query = reason === '' ? {} : { reason }
  const sent = useSent(
    literal([person, event.id, query]),
    (options) => client.entities.voidEvent(person, event.id, query, options),
    () => {
      answers.refresh()
      close()
    },
  )
  const call = {
    method: 'DELETE',
    path: withQuery(`/entities/${step(person)}/events/${step(event.id)}`, query),
    code: `await dossier.entities.voidEvent(${literal(person)}, ${literal(event.id)}, ${literal(query)})`,
  }
  return (
    <form
      class="stacked"
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void sent.send()
      }}
    >
      <p>
        <b>
          <Text text={event.name} />
        </b>{' '}
        <ValueLine words={valueWords(event.properties)} /> · <When at={event.occurred_at} plain />
      </p>
      <p>
        From then on the event counts nowhere: in no segment, count or total. It stays in the log.
        Nobody can undo this. To correct an event, void it and record it again.
      </p>
      <Field
        label="Reason (optional; it is stored)"
        value={reason}
        set={setReason}
        isAcross
        faults={faultsAt(sent.error, '/reason')}
      />
      <VoidTrouble error={sent.error} />
      <div class="row buttons">
        <Act scope="write" look="danger" isBusy={sent.isBusy}>
          Void the event
        </Act>
        <Button onClick={close}>Cancel</Button>
        <span class="push">
          <CopyMenu of="request" call={call} />
        </span>
      </div>
    </form>
  )
}

/** Messages by error code, for errors whose usual message does not help with a void. */
const sentences: ReadonlyMap<string, string> = new Map([
  [
    'not_ready',
    'Events cannot be voided yet. Set VOID=on in every process of the service, after all of them run a release that knows voids. Nothing was stored.',
  ],
  [
    'too_many_facts',
    'This person has more than 100 000 facts, so the service did not look for the event. Nothing was stored.',
  ],
  ['event_not_found', 'This person has no such event any more. Nothing was stored.'],
])

function VoidTrouble({ error }: { error: DossierError | undefined }): JSX.Element | null {
  if (error === undefined || areAllPlaced(error, ['/reason'])) return null
  const sentence = sentences.get(error.code)
  if (sentence === undefined) return <Trouble error={error} isSent />
  return (
    <div role="alert" class="trouble">
      <p>{sentence}</p>
      {error.requestId !== undefined && <small>Request {error.requestId}</small>}
    </div>
  )
}
