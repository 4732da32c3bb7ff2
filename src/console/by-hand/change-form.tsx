import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { step } from '../../client/requests.js'
import { useSession } from '../frame/session.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { useSent } from '../parts/sent.js'
import { faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { HandForm } from './hand-form.js'
import { typedNames, typedProperties, valueOf } from './typed-values.js'

interface Props {
  readonly id: string
  readonly onDone: () => void
}

/** Sets and unsets properties of somebody. */
export function ChangeForm({ id, onDone }: Props): JSX.Element {
  const { client } = useSession()
  const [text, setText] = useState('')
  const [names, setNames] = useState('')
  const typed = typedProperties(text)
  const change = { set: valueOf(typed), unset: typedNames(names) }
  const sent = useSent(
    JSON.stringify([id, change]),
    (options) => client.entities.update(id, change, options),
    onDone,
  )
  return (
    <div class="card">
      <HandForm
        title="Change properties"
        act="Change"
        sent={sent}
        isWrong={'wrong' in typed}
        paths={['/set', '/unset']}
      >
        <Field
          label="Set (JSON; the others stay as they are)"
          value={text}
          set={setText}
          faults={'wrong' in typed ? [typed.wrong] : faultsAt(sent.error, '/set')}
          lines={3}
          placeholder='{"plan": "paid"}'
        />
        <Field
          label="Unset (names, one a line)"
          value={names}
          set={setNames}
          faults={faultsAt(sent.error, '/unset')}
          lines={2}
        />
      </HandForm>
      <CopyCall
        method="PATCH"
        path={`/entities/${step(id)}`}
        body={change}
        code={`await dossier.entities.update(${literal(id)}, ${literal(change)})`}
      />
    </div>
  )
}
