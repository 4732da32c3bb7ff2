import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { step } from '../../client/requests.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { useSent } from '../parts/sent.js'
import { faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { HandForm } from './hand-form.js'

interface Props {
  /** Whom; left out: to be typed. */
  readonly person?: string
  /** A segment by hand; left out: to be picked. */
  readonly segment?: string
  readonly onDone: () => void
}

/** Puts somebody into a segment by hand, or takes them out, with a reason. */
export function MemberForm({ person, segment, onDone }: Props): JSX.Element {
  const { client } = useSession()
  const [typedPerson, setPerson] = useState('')
  const [picked, setPicked] = useState('')
  const [reason, setReason] = useState('')
  const [isAdding, setAdding] = useState(true)
  const id = person ?? typedPerson
  const key = segment ?? picked
  const body = reason === '' ? {} : { reason }
  const call = isAdding ? 'add' : 'remove'
  const sent = useSent(
    JSON.stringify([call, key, id, body]),
    (options) => client.segments[call](key, id, body, options),
    onDone,
  )
  return (
    <div class="card">
      <HandForm
        title="Members by hand"
        act={isAdding ? 'Put in' : 'Take out'}
        sent={sent}
        paths={['/reason']}
      >
        {person === undefined && (
          <Field label="Person" value={typedPerson} set={setPerson} required />
        )}
        {segment === undefined && <HandSegments picked={picked} pick={setPicked} />}
        <label class="field">
          Do
          <select
            value={call}
            onChange={({ currentTarget }) => {
              setAdding(currentTarget.value === 'add')
            }}
          >
            <option value="add">put in</option>
            <option value="remove">take out</option>
          </select>
        </label>
        <Field
          label="Reason"
          value={reason}
          set={setReason}
          faults={faultsAt(sent.error, '/reason')}
        />
      </HandForm>
      <CopyCall
        method={isAdding ? 'PUT' : 'DELETE'}
        path={`/segments/${step(key)}/members/${step(id)}`}
        body={body}
        code={`await dossier.segments.${call}(${literal(key)}, ${literal(id)}, ${literal(body)})`}
      />
    </div>
  )
}

function HandSegments({
  picked,
  pick,
}: {
  picked: string
  pick: (key: string) => void
}): JSX.Element {
  const { client } = useSession()
  const { value } = useAsked((signal) => client.segments.list({}, { signal }).all(), [], 0)
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
          {value !== undefined && byHand.length === 0 ? 'there is none' : 'one of …'}
        </option>
        {byHand.map(({ key }) => (
          <option key={key}>{key}</option>
        ))}
      </select>
    </label>
  )
}
