import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { step } from '../../client/requests.js'
import { useSession } from '../frame/session.js'
import { literal } from '../parts/calls.js'
import { Select } from '../parts/select.js'
import { useSent } from '../parts/sent.js'
import { useSegments } from '../parts/use-segments.js'
import { faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { HandForm } from './hand-form.js'

interface Props {
  /** The id of the person. If undefined, the user types the id. */
  readonly person?: string
  /** The key of a segment whose members are added by hand. If undefined, the user chooses a segment. */
  readonly segment?: string
  readonly onDone: () => void
}

/** A form that adds a person to a segment by hand, or removes the person, with a reason. */
export function MemberForm({ person, segment, onDone }: Props): JSX.Element {
  const { client } = useSession()
  const [typedPerson, setPerson] = useState('')
  const [picked, setPicked] = useState('')
  const [reason, setReason] = useState('')
  const [isAdding, setAdding] = useState(true)
  const id = person ?? typedPerson
  const key = segment ?? picked
  const body = reason === '' ? {} : { reason }
  const call: 'add' | 'remove' = isAdding ? 'add' : 'remove'
  const sent = useSent(
    JSON.stringify([call, key, id, body]),
    (options) => client.segments[call](key, id, body, options),
    onDone,
  )
  return (
    <HandForm
      act={isAdding ? 'Add' : 'Remove'}
      sent={sent}
      paths={['/reason']}
      call={{
        method: isAdding ? 'PUT' : 'DELETE',
        path: `/segments/${step(key)}/members/${step(id)}`,
        body,
        code: `await dossier.segments.${call}(${literal(key)}, ${literal(id)}, ${literal(body)})`,
      }}
    >
      {person === undefined && (
        <Field label="Person" value={typedPerson} set={setPerson} required />
      )}
      {segment === undefined && <HandSegments picked={picked} pick={setPicked} />}
      <Select
        label="Do"
        value={call}
        options={[
          ['add', 'add to the segment'],
          ['remove', 'remove from the segment'],
        ]}
        set={(chosen) => {
          setAdding(chosen === 'add')
        }}
      />
      <Field
        label="Reason"
        value={reason}
        set={setReason}
        faults={faultsAt(sent.error, '/reason')}
      />
    </HandForm>
  )
}

interface HandSegmentsProps {
  readonly picked: string
  readonly pick: (key: string) => void
}

/** A choice of the segments whose members are added by hand. */
function HandSegments({ picked, pick }: HandSegmentsProps): JSX.Element {
  const { value } = useSegments()
  const byHand = value?.filter(({ kind }) => kind === 'hand') ?? []
  return (
    <label class="field">
      Segment by hand
      <select
        required
        value={picked}
        onChange={({ currentTarget }) => {
          pick(currentTarget.value)
        }}
      >
        <option value="">
          {value !== undefined && byHand.length === 0
            ? 'no segment has members by hand'
            : 'choose a segment'}
        </option>
        {byHand.map(({ key }) => (
          <option key={key}>{key}</option>
        ))}
      </select>
    </label>
  )
}
