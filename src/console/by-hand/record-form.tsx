import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useSession } from '../frame/session.js'
import { literal } from '../parts/calls.js'
import { useSent } from '../parts/sent.js'
import { faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { HandForm } from './hand-form.js'
import { OwnTimeField } from './own-time-field.js'
import { ownTime, typedProperties, valueOf } from './typed-values.js'

interface Props {
  readonly id: string
  readonly onDone: () => void
}

/** A form that records an event about a person. */
export function RecordForm({ id, onDone }: Props): JSX.Element {
  const { client } = useSession()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [time, setTime] = useState('')
  const typed = typedProperties(text)
  const event = { name, properties: valueOf(typed), ...ownTime(time) }
  const body = { entity_external_id: id, ...event }
  const sent = useSent(
    JSON.stringify(body),
    (options) => client.entities.record(id, event, options),
    () => {
      setName('')
      setText('')
      setTime('')
      onDone()
    },
  )
  const wrong = 'wrong' in typed ? [typed.wrong] : faultsAt(sent.error, '/properties')
  return (
    <HandForm
      act="Record"
      sent={sent}
      isWrong={'wrong' in typed}
      paths={['/name', '/properties', '/occurred_at']}
      call={{
        method: 'POST',
        path: '/events',
        body,
        code: `await dossier.entities.record(${literal(id)}, ${literal(event)})`,
      }}
    >
      <Field
        label="Event name"
        value={name}
        set={setName}
        faults={faultsAt(sent.error, '/name')}
        required
        placeholder="purchase"
      />
      <Field
        label="Properties (JSON)"
        value={text}
        set={setText}
        faults={wrong}
        lines={3}
        placeholder='{"total": 12}'
      />
      <OwnTimeField label="Happened at" value={time} set={setTime} error={sent.error} />
    </HandForm>
  )
}
